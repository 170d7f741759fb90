import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { exportLine } from '../src/shell.ts'

test('an address needs no quotes', () => {
  expect(exportLine('A_URL', 'redis+cluster://127.0.0.1:7000,127.0.0.1:7001')).toBe(
    'export A_URL=redis+cluster://127.0.0.1:7000,127.0.0.1:7001',
  )
})

test.each(['a b', "it's", '$HOME `id`', 'a;b&c', '"', '\\', ''])('a shell reads %j as it was', (value) => {
  const script = `${exportLine('VALUE', value)}\nprintf %s "$VALUE"`
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(value)
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allServices } from '../src/all-services.ts'

const compose = readFileSync(join(import.meta.dirname, '../compose.yaml'), 'utf8')

test('the compose file has every service, on the port where it is looked for', () => {
  const names = Array.from(compose.matchAll(/^ {2}([\w-]+):$/gm), ([, name]) => name)
  expect(new Set(names)).toEqual(new Set(allServices.map(({ name }) => name)))
  for (const { port } of allServices) expect(compose).toContain(`127.0.0.1:${port}`)
})

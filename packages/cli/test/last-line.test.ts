import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readLastLine } from '../src/last-line.ts'
import { tempFolder } from './keepsake.ts'

const long = 'ä'.repeat(100_000)

it.each<[what: string, text: string, line: string | undefined, end: number]>([
  ['nothing', '', undefined, 0],
  ['half a line', 'abc', undefined, 0],
  ['one line', 'abc\n', 'abc', 4],
  ['a line and a half', 'abc\nde', 'abc', 4],
  ['an empty line', 'abc\n\n', '', 5],
  ['the last of two', 'ab\ncd\n', 'cd', 6],
  // Two bytes a character, so the line is longer than several blocks.
  ['a long line', `x\n${long}\n${long}`, long, 200_003],
  ['a line that begins with a block', `${'x'.repeat(65_535)}\n${'y'.repeat(65_535)}\n`, 'y'.repeat(65_535), 131_072],
])('the last line of %s', async (_, text, line, end) => {
  const path = join(tempFolder(), 'file')
  writeFileSync(path, text)
  await using handle = await open(path)
  const { size } = await handle.stat()
  expect(await readLastLine(handle, size)).toEqual({ line, end })
})

import { expect, it } from 'vitest'
import { readLines } from '../src/read-lines.ts'

async function linesOf(...chunks: string[]): Promise<string[]> {
  async function* input(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  const lines: string[] = []
  for await (const line of readLines(input())) lines.push(line.toString())
  return lines
}

it.each<[chunks: string[], lines: string[]]>([
  [[], []],
  [[''], []],
  [['a\nb\n'], ['a', 'b']],
  [['a\nb'], ['a', 'b']],
  [['\n\na\n'], ['', '', 'a']],
  [
    ['a', 'b', '\n', 'c', '\nd\n', 'e'],
    ['ab', 'c', 'd', 'e'],
  ],
  // What ends a line elsewhere is text here.
  [['a\r\nb\u2028c\u0085d\u000be\n'], ['a\r', 'b\u2028c\u0085d\u000be']],
])('the lines of %j', async (chunks, lines) => {
  expect(await linesOf(...chunks)).toEqual(lines)
})

it('puts a character together that lies in two pieces', async () => {
  const bytes = Buffer.from('é\n')
  async function* input(): AsyncGenerator<Buffer> {
    for (const byte of bytes) yield Buffer.from([byte])
  }
  const { value } = await readLines(input()).next()
  expect(value?.toString()).toBe('é')
})

import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createOutput, type Output } from '../src/output.ts'

interface Screen {
  out: Output
  stdout: () => string
  stderr: () => string
}

/** An output whose streams are a terminal of so many columns, or a file. */
function screen(json: boolean, columns?: number): Screen {
  const stream = (): PassThrough & { isTTY: boolean; columns: number | undefined } =>
    Object.assign(new PassThrough({ encoding: 'utf8', highWaterMark: 1e6 }), { isTTY: columns !== undefined, columns })
  const stdout = stream()
  const stderr = stream()
  const streams = [stdout, stderr].map((one) => one as unknown as NodeJS.WriteStream)
  return {
    out: createOutput(json, streams[0]!, streams[1]!),
    stdout: () => (stdout.read() as string | null) ?? '',
    stderr: () => (stderr.read() as string | null) ?? '',
  }
}

// Whoever runs the tests may ask for colours.
beforeAll(() => vi.stubEnv('FORCE_COLOR', '0'))
afterAll(() => vi.unstubAllEnvs())

const COLUMNS = [{ title: 'KEY', flexible: true }, { title: 'SIZE' }]
const ROWS = [['memories/language', '5 B']]

describe('a table', () => {
  it('is cut to the width of a terminal', async () => {
    const { out, stdout } = screen(false, 20)
    await out.table(COLUMNS, ROWS)
    expect(stdout().split('\n')[1]).toBe('memories/lang…  5 B')
  })

  it('is whole in a file, and without colours', async () => {
    const { out, stdout } = screen(false)
    await out.table(COLUMNS, ROWS)
    expect(stdout()).toBe('KEY                SIZE\nmemories/language  5 B\n')
  })
})

describe('progress', () => {
  it('rewrites one line of a terminal', () => {
    const { out, stdout, stderr } = screen(false, 80)
    out.progress('1 row')
    out.progress('')
    expect([stdout(), stderr()]).toEqual(['', '\r\u001b[K1 row\r\u001b[K'])
  })

  it.each([
    ['a file', screen(false)],
    ['machines', screen(true, 80)],
  ])('is not shown to %s', (_, { out, stderr }) => {
    out.progress('1 row')
    expect(stderr()).toBe('')
  })
})

describe('a remark', () => {
  it('goes to people only', () => {
    const people = screen(false)
    people.out.note('There are more.')
    expect([people.stdout(), people.stderr()]).toEqual(['', 'There are more.\n'])
    const machines = screen(true)
    machines.out.note('There are more.')
    expect([machines.stdout(), machines.stderr()]).toEqual(['', ''])
  })
})

it('waits for a reader that is slower', async () => {
  const slow = Object.assign(new PassThrough({ highWaterMark: 1 }), { isTTY: false })
  const out = createOutput(false, slow as unknown as NodeJS.WriteStream, process.stderr)
  let written = false
  const line = out.line('text').then(() => (written = true))
  await Promise.resolve()
  expect(written).toBe(false)
  slow.resume()
  await line
  expect(written).toBe(true)
})

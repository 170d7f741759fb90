import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runChat } from './run-chat.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assistant-test-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

describe('what cannot be used is said, and nothing starts', () => {
  test.each([
    ['an unknown model', ['--model', 'gpt9'], 'Unknown model "gpt9". Use openai:NAME or anthropic:NAME'],
    ['an unknown provider', ['--model', 'acme:x'], 'Unknown model "acme:x".'],
    ['a model without a name', ['--model', 'openai:'], 'Unknown model "openai:".'],
    ['a missing OpenAI key', ['--model', 'openai:gpt-x'], 'openai:gpt-x needs a key: set OPENAI_API_KEY'],
    [
      'a missing Anthropic key',
      ['--model', 'anthropic:claude-x'],
      'anthropic:claude-x needs a key: set ANTHROPIC_API_KEY',
    ],
    ['a base URL that is none', ['--base-url', 'localhost', '--model', 'x'], '--base-url must be an http address'],
    ['a base URL without a model', ['--base-url', 'http://localhost:1/v1'], '--base-url needs --model NAME'],
    ['an unknown option', ['--colour'], "Unknown option '--colour'"],
    ['an option without its value', ['--user'], "Option '--user <value>' argument missing"],
    ['an empty user', ['--user', ''], '--user is empty'],
    ['an argument too many', ['hello', 'you'], 'What is "hello"? To say one thing: --say "hello you".'],
    ['nothing to say', ['--say', ''], '--say is empty'],
    ['a run without what is said', ['--say=', '--run', 'r'], '--run goes with --say TEXT'],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await runChat(['--folder', folder, '--say', 'hi', ...args])
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/\n {4}at /)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })
})

test('a user whose name would leave the folder is refused', async () => {
  const { code, stderr } = await runChat(['--folder', folder, '--user', '../eve', '--say', 'hi'])
  expect(code).toBe(1)
  expect(stderr).toContain('../eve')
})

test('help shows the options and examples', async () => {
  const { code, stdout } = await runChat(['--help'])
  expect(code).toBe(0)
  expect(stdout).toContain('--base-url URL')
  expect(stdout).toContain('npx -y pnpm@12 chat --user ada --thread monday')
})

test('every line of a pipe is answered', async () => {
  const { code, stdout, stderr } = await runChat(['--folder', folder, '--user', 'piped'], {}, 'one\ntwo\nthree\n')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.match(/You said: .*/g)).toEqual(['You said: one', 'You said: two', 'You said: three'])
})

test('an empty line ends the conversation', async () => {
  const { code, stdout } = await runChat(['--folder', folder, '--user', 'ada'])
  expect(code).toBe(0)
  expect(stdout).toContain('Hello ada. This is "main", a new conversation.')
})

test('a server that speaks the API of OpenAI answers', async () => {
  const asked: { model?: string; messages?: { role: string; content: unknown }[] }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      asked.push(JSON.parse(body) as (typeof asked)[number])
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(
        `${chunk({ role: 'assistant', content: 'Hello from the server.' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`,
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const { code, stdout, stderr } = await runChat([
      '--folder',
      folder,
      '--base-url',
      url,
      '--model',
      'local',
      '--say',
      'hi',
    ])
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'Hello from the server.\n', stderr: '' })
    expect(asked.map(({ model }) => model)).toEqual(['local'])
    expect(asked[0]?.messages?.at(-1)).toEqual({ role: 'user', content: 'hi' })
  } finally {
    server.close()
  }
})

test('a server that fails leaves a message, and nothing in the history', async () => {
  const args = ['--folder', folder, '--user', 'carl', '--base-url', 'http://127.0.0.1:1/v1', '--model', 'local']
  const failed = await runChat([...args, '--say', 'lost'])
  expect(failed.code).toBe(1)
  expect(failed.stderr).not.toMatch(/\n {4}at /)
  const { stdout } = await runChat(['--folder', folder, '--user', 'carl', '--say', 'What did I say first?'])
  expect(stdout).toBe('You began with: "What did I say first?"\n')
})

function chunk(delta: object, finish: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'local', choices })}\n\n`
}

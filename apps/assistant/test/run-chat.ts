import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const chat = fileURLToPath(new URL('../src/chat.ts', import.meta.url))

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** Runs the assistant as a process of its own, with nothing in its environment that tests did not put there. */
export function runChat(args: readonly string[], env: Record<string, string> = {}, input = ''): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [chat, ...args],
      { env: { PATH: process.env['PATH'], ...env } },
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, stdout, stderr })
      },
    )
    child.stdin?.end(input)
  })
}

export interface Turn {
  folder: string
  user: string
  thread: string
  says: string
  trace?: string
  project?: string
  consolidate?: boolean
}

/** What the assistant answers, in a process of its own. */
export async function say({ folder, user, thread, says, trace, project, consolidate = false }: Turn): Promise<string> {
  const more = [
    ...(trace === undefined ? [] : ['--trace', trace]),
    ...(project === undefined ? [] : ['--project', project]),
    ...(consolidate ? ['--consolidate'] : []),
  ]
  const { code, stdout, stderr } = await runChat([
    '--folder',
    folder,
    '--user',
    user,
    '--thread',
    thread,
    '--say',
    says,
    ...more,
  ])
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`)
  return stdout.trimEnd()
}

/** Every prompt that was sent to the model, as text. */
export async function readTrace(path: string): Promise<{ owner: string; prompt: string }[]> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  return lines.map((line) => {
    const { owner, prompt } = JSON.parse(line) as { owner: string; prompt: unknown }
    return { owner, prompt: JSON.stringify(prompt) }
  })
}

import { execFile } from 'node:child_process'

export interface CommandResult {
  ok: boolean
  /** Standard output, then standard error. */
  output: string
}

/** Runs a program to its end and keeps what it said. A program that cannot be started is a failure too. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; timeoutMs?: number },
): Promise<CommandResult> {
  const { cwd, env = process.env, timeoutMs = 120_000 } = options
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env, timeout: timeoutMs, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const reason = error !== null && stdout === '' && stderr === '' ? error.message : ''
      resolve({ ok: error === null, output: `${stdout}${stderr}${reason}`.trim() })
    })
  })
}

/** The same, but a failure throws what was said. */
export async function mustRun(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { ok, output } = await runCommand(command, args, { cwd })
  if (!ok) throw new Error(`${command} ${args.join(' ')} failed in ${cwd}:\n${output}`)
  return output
}

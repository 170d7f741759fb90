import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A server that runs as a child of this process. */
export interface Child {
  readonly pid: number
  /** Sends a signal and waits until it has ended. Twice is fine. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface ChildOptions {
  args: readonly string[]
  /** What it prints is added to this file. */
  log: string
  /** Asked again and again until it says yes. */
  isReady: () => Promise<boolean>
  readyWithinMs?: number
  cwd?: string
  uid?: number
  gid?: number
}

/** Starts a program and waits until it is ready. Rejects, with the end of its log, if it ends or takes too long. */
export async function startChild(program: string, options: ChildOptions): Promise<Child> {
  const { args, log, isReady, readyWithinMs = 30_000, cwd, uid, gid } = options
  const output = openSync(log, 'a')
  const child = spawn(program, args, {
    stdio: ['ignore', output, output],
    ...(cwd !== undefined && { cwd }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  })
  closeSync(output)
  const ended = once(child, 'exit')
  await once(child, 'spawn')

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await ended
  }

  for (const timeUp = AbortSignal.timeout(readyWithinMs); !(await isReady()); await sleep(30)) {
    const over = child.exitCode !== null || child.signalCode !== null
    if (!over && !timeUp.aborted) continue
    await stop('SIGKILL')
    throw new Error(`${program} ${over ? 'ended at its start' : 'was not ready in time'}. Its log:\n${endOf(log)}`)
  }
  return { pid: child.pid!, stop }
}

function endOf(log: string): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-15).join('\n')
}

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createClock, type Clock, type RowStore } from '@keepsake/core'
import { openStore } from '@keepsake/open'
import { onTestFinished } from 'vitest'

export const BIN: string = join(import.meta.dirname, '../src/bin.ts')

export interface Result {
  code: number | null
  stdout: string
  stderr: string
}

/** An empty folder for the test that is running. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The environment of a shell in which nothing of ours is set. */
export function cleanEnv(env: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { KEEPSAKE_STORE: _, FORCE_COLOR: __, NO_COLOR: ___, ...rest } = process.env
  return { ...rest, ...env }
}

/** Runs the command as a process of its own in `cwd`. */
export async function keepsake(cwd: string, args: readonly string[], env?: Record<string, string>): Promise<Result> {
  const child = spawn(process.execPath, [BIN, ...args], { cwd, env: cleanEnv(env), stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { code, stdout, stderr }
}

/** Lines of JSON as values. */
export function jsonLines(output: string): unknown[] {
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

/** 2024-01-01 00:00:01Z, when versions begin at 4,096,000. Ids count up from `id-1`. */
export const SEED_MS: number = Date.UTC(2024, 0, 1, 0, 0, 1)

function seedClock(): Clock {
  let ids = 0
  return createClock({ nowMs: () => SEED_MS, newId: () => `id-${++ids}` })
}

/** Writes into the file that commands in `folder` use by default. */
export async function seed(folder: string, write: (store: RowStore, clock: Clock) => Promise<void>): Promise<void> {
  await using store = await openStore(`sqlite:${join(folder, 'keepsake.db')}`)
  await write(store, seedClock())
}

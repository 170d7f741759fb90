import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataFolder } from './data-folder.ts'
import { freePorts } from './ports.ts'
import { outputIfAny } from './programs.ts'
import type { Service } from './service.ts'

/** A service that was started from here: a process of its own holds it until it is stopped. */
export interface HeldService {
  pid: number
  port: number
  engine: string
}

/** What a holder tells its parent, once. */
export type HolderReport = { engine: string } | { error: string }

const STOPPED_WITHIN_MS = 30_000

/** Starts a service that goes on when this process ends. Rejects, with the reason, where it does not start. */
export async function startHeld(service: Service): Promise<HeldService> {
  const folder = join(dataFolder(), service.name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const port = await freePorts(service.port, service.ports)
  const log = openSync(join(folder, 'holder.log'), 'a')
  const args = [join(import.meta.dirname, 'holder.ts'), service.name, String(port), folder]
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log, 'ipc'] })
  closeSync(log)
  const [report] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [HolderReport | number | null]
  child.unref()
  if (typeof report !== 'object' || report === null) throw new Error(`Its holder ended; see ${folder}/holder.log.`)
  if ('error' in report) throw new Error(report.error)
  const held = { pid: child.pid!, port, engine: report.engine }
  writeFileSync(stateFile(service), JSON.stringify(held))
  return held
}

/** The service as it was started from here before, if it still runs. */
export async function findHeld(service: Service): Promise<HeldService | undefined> {
  if (!existsSync(stateFile(service))) return undefined
  const held = JSON.parse(readFileSync(stateFile(service), 'utf8')) as HeldService
  return (await isHolder(held.pid)) ? held : undefined
}

/** Stops it and removes its data. */
export async function stopHeld(service: Service, { pid }: HeldService): Promise<void> {
  process.kill(pid, 'SIGTERM')
  for (const timeUp = AbortSignal.timeout(STOPPED_WITHIN_MS); await isHolder(pid); await sleep(50)) {
    if (timeUp.aborted) throw new Error(`It did not stop in time; its process is ${pid}.`)
  }
  rmSync(stateFile(service))
  rmSync(join(dataFolder(), service.name), { recursive: true, force: true })
}

/** A process id may be somebody else's by now. */
async function isHolder(pid: number): Promise<boolean> {
  const command = await outputIfAny('ps', ['-o', 'args=', '-p', String(pid)])
  return command?.includes(join(import.meta.dirname, 'holder.ts')) === true
}

function stateFile({ name }: Service): string {
  return join(dataFolder(), `${name}.json`)
}

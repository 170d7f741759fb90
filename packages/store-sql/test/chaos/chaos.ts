import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RowStore } from '@keepsake/core'
import { startProgram, type Program } from '../program.ts'
import type { FinalRow, HistoryEvent } from './history.ts'

export interface ChaosOptions {
  /** The module that exports the `driver` of the store, as a file URL. */
  module: string
  uri: string
  /** A folder for what the writers note. */
  folder: string
  writers: number
  /** Calls of each writer. */
  calls: number
  rows: number
  /** How many times some writer is ended by `kill -9`, spread over the run. It is started again, and goes on. */
  kills: number
}

export interface ChaosResult {
  events: HistoryEvent[]
  final: FinalRow[]
  kills: number
}

/** The entity of all rows. */
export const CHAOS_ENTITY = 'chaos'

/** Several processes that write the same rows, and are killed while they do. */
export async function runChaos(store: RowStore, options: ChaosOptions): Promise<ChaosResult> {
  const { module, uri, folder, writers, calls, rows, kills } = options
  const log = (writer: number): string => join(folder, `writer-${writer}.jsonl`)
  const start = (writer: number): Program =>
    startProgram('chaos-writer', module, uri, log(writer), writer, writers, calls, rows)
  // A writer says so after every so many calls.
  const reports = Math.floor((writers * calls) / REPORT_EVERY)
  let heard = 0
  let killed = 0

  async function supervise(writer: number): Promise<void> {
    for (let program = start(writer); ;) {
      let kill = false
      for (let line = await program.lines.next(); !line.done && !kill; line = await program.lines.next()) {
        heard++
        kill = killed < kills && heard >= ((killed + 1) * reports) / (kills + 1)
        if (kill) {
          killed++
          program.kill()
        }
      }
      await program.ended()
      if (!kill) return
      program = start(writer)
    }
  }

  await Promise.all(Array.from({ length: writers }, (_, writer) => supervise(writer)))
  const events = Array.from({ length: writers }, (_, writer) => readHistory(log(writer))).flat()
  const stored = await store.scan(CHAOS_ENTITY, { limit: rows + 1 })
  const final = stored.map(({ key, seq, rec }) => ({ key, seq, id: new TextDecoder().decode(rec) }))
  return { events, final, kills: killed }
}

export const REPORT_EVERY = 20

/** A line that was being written when its writer was killed is not there yet. */
export function readHistory(file: string): HistoryEvent[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line) as HistoryEvent)
}

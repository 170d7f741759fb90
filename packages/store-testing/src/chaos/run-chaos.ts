import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoreDriver } from '@keepsake/core'
import { checkLog } from './check-log.ts'
import { readLog } from './log.ts'
import { REPORT_EVERY } from './report-every.ts'
import { startWriter, type Writer } from './writer.ts'

export interface ChaosOptions {
  /** The module that exports the `driver` of the store, as a file URL. Each process opens its store with it. */
  driver: string
  uri: string
  /** How many processes write. Default 4. */
  writers?: number
  /** Calls of each. Every one reads one to four rows and writes them under guards. Default 5,000. */
  calls?: number
  /** How many rows they share. Default 50. */
  rows?: number
  /** How many times some writer is ended by `kill -9`, spread over the run. It is started again, and goes on. Default 20. */
  kills?: number
  /** What happens to the server while they write. */
  outages?: Outages
}

export interface Outages {
  /** How many there are, spread over the run. */
  times: number
  /** Makes one: resolves when the server is there again. The next one waits for it. */
  strike(): Promise<void>
}

export interface ChaosResult {
  /** What cannot have happened if guards hold and acknowledged writes stay. Empty if there is a legal order of each row. */
  violations: string[]
  kills: number
  outages: number
  /** Calls that were made, whatever became of them. */
  calls: number
  /** Calls without an answer: their writer was killed, or the server was away for longer than the store waits. */
  unanswered: number
  /** Writes that were acknowledged. */
  applied: number
  stale: number
}

/**
 * Several processes that read and write the same rows of one entity, and are killed while they do. Each notes what it is
 * about to write and the answers that it got; in the end the notes and the rows are checked, row by row, for a legal order.
 * The store must be provisioned; the entity is a fresh one and is removed. Rejects if a writer fails.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { driver: module, uri, writers = 4, calls = 5000, rows = 50, kills = 20, outages } = options
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-chaos-'))
  const entity = `chaos/${randomUUID()}`
  const log = (writer: number): string => join(folder, `writer-${writer}.jsonl`)
  const start = (writer: number): Writer => startWriter(module, uri, entity, log(writer), writer, writers, calls, rows)
  const reports = Math.floor((writers * calls) / REPORT_EVERY)
  let heard = 0
  let killed = 0
  let struck = 0
  let outage: Promise<void> | undefined
  /** Whether the next of so many that are spread over the run is due. */
  const isDue = (done: number, times: number): boolean => done < times && heard >= ((done + 1) * reports) / (times + 1)

  function strikeIfDue(): void {
    if (outages === undefined || outage !== undefined || !isDue(struck, outages.times)) return
    struck++
    outage = outages.strike().finally(() => (outage = undefined))
    // It is awaited in the end.
    outage.catch(() => {})
  }

  async function supervise(writer: number): Promise<void> {
    for (let process = start(writer); ;) {
      let kill = false
      for (let line = await process.lines.next(); !line.done && !kill; line = await process.lines.next()) {
        heard++
        strikeIfDue()
        kill = isDue(killed, kills)
        if (kill) {
          killed++
          process.kill()
        }
      }
      await process.ended()
      if (!kill) return
      process = start(writer)
    }
  }

  try {
    await Promise.all(Array.from({ length: writers }, (_, writer) => supervise(writer)))
    await outage
    const { driver } = (await import(module)) as { driver: StoreDriver }
    await using store = await driver.open(uri)
    const stored = await store.scan(entity, { limit: rows + 1 })
    await store.removeEntity(entity)
    const final = stored.map(({ key, seq, rec }) => ({ key, seq, id: new TextDecoder().decode(rec) }))
    const events = Array.from({ length: writers }, (_, writer) => readLog(log(writer))).flat()
    const begun = events.filter(({ type }) => type === 'begin').length
    const answers = events.flatMap((event) => (event.type === 'end' ? [event.verdicts] : []))
    const applied = answers.flat().filter((verdict) => verdict === true).length
    return {
      violations: checkLog(events, final, { lostAnswers: outages !== undefined }),
      kills: killed,
      outages: struck,
      calls: begun,
      unanswered: begun - answers.length,
      applied,
      stale: answers.flat().length - applied,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

import { readFileSync } from 'node:fs'
import type { Line } from '../line.ts'
import { locomoFile, parseLocomo } from '../locomo.ts'
import { measurePicking, measurePickMillis } from './picking.ts'
import { sessionFiles, type SessionFiles } from './session-files.ts'

/** What may be spent, in milliseconds. */
const PICK_MILLIS = 5
const PICKED_FROM = 1_000
/** The share of questions that must find a file with evidence among the first three. */
const HIT_AT_3 = 0.75

/** Picking topic files, and how well they are picked on LoCoMo, where that is. */
export async function benchPicking(): Promise<Line[]> {
  const file = locomoFile()
  const conversations = file === undefined ? [] : parseLocomo(readFileSync(file, 'utf8')).map(sessionFiles)
  const pickMillis = measurePickMillis(conversations.length > 0 ? conversations : [madeUp()], PICKED_FROM)
  return [
    atMost(`picking among ${PICKED_FROM} topic files`, pickMillis, PICK_MILLIS),
    ...(await quality(conversations)),
  ]
}

async function quality(conversations: readonly SessionFiles[]): Promise<Line[]> {
  if (conversations.length === 0) {
    const how = 'set KEEPSAKE_LOCOMO to a file of github.com/snap-research/LoCoMo'
    return [{ what: `SKIPPED, picking on LoCoMo: ${how}`, base: '', ours: '' }]
  }
  const { questions, hitAt3, hitAt1, foreignPickNothing, unknownPickNothing } = await measurePicking(conversations)
  return [
    atLeast(`LoCoMo, ${questions} questions: evidence in the first three files`, hitAt3, HIT_AT_3),
    atLeast('  in words that no file has: nothing is picked', unknownPickNothing, 1),
    { what: '  evidence in the first file', base: '', ours: percent(hitAt1) },
    { what: '  about another conversation: nothing is picked', base: '', ours: percent(foreignPickNothing) },
  ]
}

/** Something to pick from where there are no data. */
function madeUp(): SessionFiles {
  const words = Array.from({ length: 2_000 }, (_, i) => `word${i.toString(36)}`)
  const textOf = (from: number, count: number): string =>
    Array.from({ length: count }, (_, i) => words[(from * 31 + i * i * 7) % words.length]).join(' ')
  return {
    files: Array.from({ length: 200 }, (_, i) => ({ path: `/${i}.md`, content: textOf(i, 300) })),
    questions: Array.from({ length: 100 }, (_, i) => ({ text: textOf(i, 8), evidence: new Set<string>() })),
  }
}

function atMost(what: string, millis: number, most: number): Line {
  return { what, base: `${most} ms allowed`, ours: `${millis.toFixed(2)} ms`, ratio: millis / most, goal: 1 }
}

function atLeast(what: string, share: number, least: number): Line {
  return { what, base: `${percent(least)} wanted`, ours: percent(share), ratio: least / share, goal: 1 }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

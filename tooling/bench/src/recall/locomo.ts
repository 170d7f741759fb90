import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SearchDocument } from '@keepsake/core'

/** A conversation of LoCoMo: what was said in it, and questions about it with the turns that answer them. */
export interface Conversation {
  id: string
  turns: SearchDocument[]
  questions: Question[]
}

export interface Question {
  text: string
  /** Ids of the turns that hold the answer. */
  evidence: ReadonlySet<string>
}

interface Sample {
  sample_id: string
  conversation: Record<string, unknown>
  qa: { question: string; category: number; evidence?: unknown[] }[]
}

interface Turn {
  dia_id: string
  speaker: string
  text: string
  blip_caption?: string
}

/** Questions of this category ask about the wrong person: there is nothing to find. */
const ADVERSARIAL = 5

/** Where the data are: a file of the environment's choice, or the first JSON file of a folder. */
export function locomoFile(): string | undefined {
  const path = process.env['KEEPSAKE_LOCOMO']
  if (path === undefined || path === '') return undefined
  if (!statSync(path).isDirectory()) return path
  const file = readdirSync(path).find((name) => name.endsWith('.json'))
  return file === undefined ? undefined : join(path, file)
}

/** The conversations of a file in LoCoMo's own format, with the questions whose evidence can be found. */
export function readLocomo(file: string): Conversation[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as Sample[]).map(({ sample_id: id, conversation, qa }) => {
    const turns = turnsOf(conversation)
    const known = new Set(turns.map((turn) => turn.id))
    const questions = qa.flatMap(({ question: text, category, evidence = [] }) => {
      const found = new Set(evidence.flatMap(turnIds).filter((turn) => known.has(turn)))
      return found.size === 0 || category === ADVERSARIAL ? [] : [{ text, evidence: found }]
    })
    return { id, turns, questions }
  })
}

/** What was said in a conversation of the file, session by session. */
export function turnsOf(conversation: Sample['conversation']): SearchDocument[] {
  const sessions = Object.keys(conversation)
    .flatMap((name) => /^session_(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)
  return sessions.flatMap((session) => {
    const atMs = dateOf(conversation[`session_${session}_date_time`])
    return (conversation[`session_${session}`] as Turn[]).map((turn, position) => ({
      id: turn.dia_id,
      text: turn.blip_caption === undefined ? turn.text : `${turn.text} [shares ${turn.blip_caption}]`,
      speaker: turn.speaker,
      session: String(session),
      position,
      ...(atMs !== undefined && { atMs }),
    }))
  })
}

/** Evidence is written as `D1:3`, sometimes as `D1:03` or several in one text. */
function turnIds(evidence: unknown): string[] {
  return String(evidence)
    .split(/[;,\s]+/)
    .flatMap((part) => {
      const match = /^D:?(\d+):0*(\d+)$/.exec(part)
      return match === null ? [] : [`D${match[1]}:${match[2]}`]
    })
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ')

/** `1:56 pm on 8 May, 2023` in Unix milliseconds, taken as UTC. */
export function dateOf(text: unknown): number | undefined {
  const match = /(\d+):(\d+)\s*(am|pm) on (\d+) (\w+),? (\d{4})/i.exec(String(text))
  if (match === null) return undefined
  const [, hour, minute, half, day, month, year] = match
  const hours = (Number(hour) % 12) + (half!.toLowerCase() === 'pm' ? 12 : 0)
  return Date.UTC(Number(year), MONTHS.indexOf(month!.toLowerCase()), Number(day), hours, Number(minute))
}

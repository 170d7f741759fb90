import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A conversation of LoCoMo: what was said in it, and questions about it with the turns that answer them. */
export interface LocomoConversation {
  id: string
  /** In their order. */
  sessions: LocomoSession[]
  questions: LocomoQuestion[]
}

interface LocomoSession {
  /** From 1. */
  number: number
  /** As the file has it, such as `1:56 pm on 8 May, 2023`. */
  date: string
  /** Empty for none. */
  summary: string
  turns: LocomoTurn[]
}

interface LocomoTurn {
  id: string
  speaker: string
  /** With what a picture that was shared shows. */
  text: string
}

export interface LocomoQuestion {
  text: string
  /** Ids of the turns that hold the answer. */
  evidence: ReadonlySet<string>
}

interface Sample {
  sample_id: string
  conversation: Record<string, unknown>
  session_summary?: Record<string, string>
  qa: { question: string; category: number; evidence?: unknown[] }[]
}

interface SampleTurn {
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
export function parseLocomo(json: string): LocomoConversation[] {
  return (JSON.parse(json) as Sample[]).map(({ sample_id: id, conversation, session_summary: summaries = {}, qa }) => {
    const sessions = sessionsOf(conversation, summaries)
    const known = new Set(sessions.flatMap(({ turns }) => turns.map((turn) => turn.id)))
    const questions = qa.flatMap(({ question: text, category, evidence = [] }) => {
      const found = new Set(evidence.flatMap(turnIds).filter((turn) => known.has(turn)))
      return found.size === 0 || category === ADVERSARIAL ? [] : [{ text, evidence: found }]
    })
    return { id, sessions, questions }
  })
}

function sessionsOf(conversation: Sample['conversation'], summaries: Record<string, string>): LocomoSession[] {
  return Object.keys(conversation)
    .flatMap((name) => /^session_(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)
    .map((number) => ({
      number,
      date: String(conversation[`session_${number}_date_time`]),
      summary: summaries[`session_${number}_summary`] ?? '',
      turns: (conversation[`session_${number}`] as SampleTurn[]).map(({ dia_id: id, speaker, text, ...turn }) => ({
        id,
        speaker,
        text: turn.blip_caption === undefined ? text : `${text} [shares ${turn.blip_caption}]`,
      })),
    }))
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

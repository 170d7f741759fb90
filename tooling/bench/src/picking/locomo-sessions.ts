import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A conversation of LoCoMo as memory files: one for each session. */
export interface SessionFiles {
  files: { path: string; content: string }[]
  questions: { text: string; /** The files that hold the answer. */ evidence: ReadonlySet<string> }[]
}

interface Turn {
  dia_id: string
  speaker: string
  text: string
  blip_caption?: string
}

interface Sample {
  conversation: Record<string, unknown>
  session_summary?: Record<string, string>
  qa: { question: string; category: number; evidence?: unknown[] }[]
}

/** Questions of this category ask about the wrong person: there is nothing to find. */
const ADVERSARIAL = 5

/** The file that KEEPSAKE_LOCOMO names, or the first JSON file of the folder that it names. */
export function locomoFile(): string | undefined {
  const path = process.env['KEEPSAKE_LOCOMO']
  if (path === undefined || path === '') return undefined
  if (!statSync(path).isDirectory()) return path
  const file = readdirSync(path).find((name) => name.endsWith('.json'))
  return file === undefined ? undefined : join(path, file)
}

/** Each session a file: the first sentence of its summary is the description, what was said the text. */
export function readSessions(json: string): SessionFiles[] {
  return (JSON.parse(json) as Sample[]).map(({ conversation, session_summary: summaries = {}, qa }) => {
    const turns = new Set<string>()
    const files: SessionFiles['files'] = []
    for (let session = 1; conversation[`session_${session}`] !== undefined; session++) {
      const said = conversation[`session_${session}`] as Turn[]
      for (const { dia_id: id } of said) turns.add(id)
      const [description = ''] = (summaries[`session_${session}_summary`] ?? '').split(/(?<=[.!?])\s/)
      const lines = said.map(({ speaker, text, blip_caption: caption }) =>
        caption === undefined ? `${speaker}: ${text}` : `${speaker}: ${text} [shares ${caption}]`,
      )
      const date = String(conversation[`session_${session}_date_time`])
      const head = `---\ndescription: ${JSON.stringify(description)}\n---\n\n${date}\n`
      files.push({ path: pathOf(session), content: `${head}${lines.join('\n')}\n` })
    }
    const questions = qa.flatMap(({ question: text, category, evidence = [] }) => {
      const found = evidence.flatMap((one) => sessionsOf(one, turns))
      return category === ADVERSARIAL || found.length === 0 ? [] : [{ text, evidence: new Set(found.map(pathOf)) }]
    })
    return { files, questions }
  })
}

const pathOf = (session: number): string => `/sessions/${String(session).padStart(2, '0')}.md`

/** Evidence is written as `D1:3`, sometimes as `D1:03` or several in one text. */
function sessionsOf(evidence: unknown, turns: ReadonlySet<string>): number[] {
  return String(evidence)
    .split(/[;,\s]+/)
    .flatMap((part) => {
      const match = /^D:?(\d+):0*(\d+)$/.exec(part)
      return match !== null && turns.has(`D${match[1]}:${match[2]}`) ? [Number(match[1])] : []
    })
}

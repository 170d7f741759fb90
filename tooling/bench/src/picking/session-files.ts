import type { LocomoConversation } from '../locomo.ts'

/** A conversation as memory files: one for each session. */
export interface SessionFiles {
  files: { path: string; content: string }[]
  questions: { text: string; /** The files that hold the answer. */ evidence: ReadonlySet<string> }[]
}

/** Each session a file: the first sentence of its summary is the description, what was said the text. */
export function sessionFiles({ sessions, questions }: LocomoConversation): SessionFiles {
  const paths = new Map(sessions.flatMap(({ number, turns }) => turns.map(({ id }) => [id, pathOf(number)] as const)))
  return {
    files: sessions.map(({ number, date, summary, turns }) => {
      const [description = ''] = summary.split(/(?<=[.!?])\s/)
      const lines = turns.map(({ speaker, text }) => `${speaker}: ${text}`)
      const head = `---\ndescription: ${JSON.stringify(description)}\n---\n\n${date}\n`
      return { path: pathOf(number), content: `${head}${lines.join('\n')}\n` }
    }),
    questions: questions.map(({ text, evidence }) => ({
      text,
      evidence: new Set(Array.from(evidence, (turn) => paths.get(turn)!)),
    })),
  }
}

const pathOf = (session: number): string => `/sessions/${String(session).padStart(2, '0')}.md`

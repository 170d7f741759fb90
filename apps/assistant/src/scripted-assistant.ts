import type { LanguageModelV4 } from '@ai-sdk/provider'
import { scriptedModel, toolCall, type ScriptedAnswer } from '@keepsake/store-testing'
import { readPrompt, type PromptView } from './read-prompt.ts'

const MEMORY_FILE = '/AGENTS.md'

/**
 * A stand-in for a real model, so that the example runs without a key. It knows next to nothing, but it uses memory as a
 * model would: its answer is a function of the prompt alone, so what it remembers, it was shown.
 */
export function scriptedAssistant(): LanguageModelV4 {
  return scriptedModel(
    ({ prompt, responseFormat }) =>
      responseFormat?.type === 'json' ? consolidate(readPrompt(prompt)) : answerTo(readPrompt(prompt)),
    { modelId: 'scripted-assistant' },
  )
}

/** The answer to a prompt: a text, or a tool call. */
function answerTo(view: PromptView): ScriptedAnswer {
  const asked = view.said.at(-1) ?? ''
  for (const [pattern, reply] of replies) {
    const match = pattern.exec(asked)
    if (match !== null) return reply(view, match)
  }
  return inLanguageOf(view, `You said: ${asked}`, `Du hast gesagt: ${asked}`)
}

type Reply = (view: PromptView, match: RegExpExecArray) => ScriptedAnswer

const replies: readonly (readonly [RegExp, Reply])[] = [
  [
    /remember that (.+)/i,
    (view, match) => {
      const done = view.results.at(-1)
      const fact = `- ${asFact(match[1]!)}`
      if (done === undefined) return rememberInFile(view, fact)
      return done.text.startsWith('Error')
        ? inLanguageOf(view, `I could not write that down: ${done.text}`, `Das konnte ich nicht notieren: ${done.text}`)
        : inLanguageOf(view, 'I have written that down.', 'Das habe ich mir notiert.')
    },
  ],
  [
    /my favou?rite (\w+) is (.+?)[.!]*$/i,
    (view, match) =>
      view.results.length === 0
        ? toolCall('save_memory', { content: `Favourite ${match[1]}: ${match[2]}` })
        : inLanguageOf(view, `I keep that in mind: ${match[2]}.`, `Das merke ich mir: ${match[2]}.`),
  ],
  [
    /what is my favou?rite (\w+)/i,
    (view, match) => {
      const found = view.results.at(-1)
      if (found === undefined) return toolCall('search_memories', { query: `favourite ${match[1]}` })
      const favourite = /Favourite \w+: ([^"\n\\]+)/.exec(found.text)?.[1]
      return favourite === undefined
        ? inLanguageOf(view, 'I do not know that yet.', 'Das weiß ich noch nicht.')
        : inLanguageOf(view, `It is ${favourite}.`, `Das ist ${favourite}.`)
    },
  ],
  [
    /change the policy/i,
    (view) => {
      const done = view.results.at(-1)
      const path = '/policies/AGENTS.md'
      if (done === undefined)
        return toolCall('edit_file', { file_path: path, old_string: 'Be polite.', new_string: 'x' })
      return inLanguageOf(view, `I may not: ${done.text}`, `Ich darf nicht: ${done.text}`)
    },
  ],
  [
    /capital of France/i,
    (view) => inLanguageOf(view, 'Paris is the capital of France.', 'Paris ist die Hauptstadt von Frankreich.'),
  ],
  [
    /what did I (?:say|ask)(?: you)? first/i,
    (view) => inLanguageOf(view, `You began with: "${view.said[0]}"`, `Du hast so angefangen: „${view.said[0]}“`),
  ],
  [
    /what do you know about me/i,
    (view) => {
      const facts = view.memory.split('\n').filter((line) => /^- [^/]/.test(line))
      return facts.length === 0
        ? inLanguageOf(view, 'Nothing yet.', 'Noch nichts.')
        : inLanguageOf(view, `This:\n${facts.join('\n')}`, `Dies:\n${facts.join('\n')}`)
    },
  ],
]

/** At the end of a conversation: decisions are noted, one line each. The question holds files and conversation as JSON. */
function consolidate(view: PromptView): ScriptedAnswer {
  const [, files, said] = /^Files:\n([^]*?)\n\nConversation[^\n]*\n([^]*)$/.exec(view.said.at(-1) ?? '') ?? []
  const [notes] = JSON.parse(files ?? '[]') as { path: string; content: string }[]
  const decisions = (JSON.parse(said ?? '[]') as { role: string; text: string }[])
    .filter(({ role }) => role === 'user')
    .flatMap(({ text }) => /\bwe decided (?:that |to )?(.+)/i.exec(text)?.[1] ?? [])
    .map((decision) => `- Decided: ${decision}`)
    .filter((line) => notes !== undefined && !notes.content.includes(line))
  if (notes === undefined || decisions.length === 0) return JSON.stringify({ changes: [] })
  const before = notes.content === '' ? '# Notes\n\n' : notes.content
  return JSON.stringify({ changes: [{ path: notes.path, content: `${before}${decisions.join('\n')}\n` }] })
}

/** The lines of the user's own memory file: what comes after its path, until the next one. */
function ownFacts(memory: string): string[] {
  const lines = memory.split('\n')
  const own = lines.slice(lines.indexOf(MEMORY_FILE) + 1)
  const end = own.findIndex((line) => line.startsWith('/'))
  return lines.includes(MEMORY_FILE) ? own.slice(0, end === -1 ? own.length : end) : []
}

/** Adds a line to the memory file: below its last fact, or in a new file. */
function rememberInFile(view: PromptView, fact: string): ScriptedAnswer {
  const last = ownFacts(view.memory).findLast((line) => line.startsWith('- '))
  if (last === undefined) {
    return toolCall('write_file', { file_path: MEMORY_FILE, content: `# About the user\n\n${fact}\n` })
  }
  return toolCall('edit_file', { file_path: MEMORY_FILE, old_string: last, new_string: `${last}\n${fact}` })
}

const THIRD_PERSON: Readonly<Record<string, string>> = { am: 'is', do: 'does', go: 'goes', have: 'has' }

/** "I prefer answers in German." -> "Prefers answers in German." */
function asFact(text: string): string {
  const sentence = text.replace(/^I (\w+)/i, (_, verb: string) => {
    const third = THIRD_PERSON[verb.toLowerCase()] ?? `${verb}s`
    return `${third[0]!.toUpperCase()}${third.slice(1)}`
  })
  return sentence.trim().endsWith('.') ? sentence.trim() : `${sentence.trim()}.`
}

/** In German exactly if the memory in the prompt says so. */
function inLanguageOf(view: PromptView, english: string, german: string): string {
  return /answers in German/i.test(view.memory) ? german : english
}

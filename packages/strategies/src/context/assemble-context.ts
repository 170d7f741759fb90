import { KeepsakeError, type Entry, type Message } from '@keepsake/core'
import { checkCount } from '../check-count.ts'
import { checkMessages } from '../check-messages.ts'
import { firstOfNewest } from '../choose-units.ts'
import { messageCounter } from '../message-counter.ts'
import type { CountTokens } from '../message-tokens.ts'
import { notesMessage, type WorkingNotes } from '../notes/working-notes.ts'
import { recalledMemory, recalledMessage } from '../recall/recalled-message.ts'
import { splitUnits } from '../units.ts'

export interface AssembleContextOptions {
  /** What the messages may have together. Default 120,000. */
  maxTokens?: number
  count: CountTokens
  /** Always sent. */
  instructions?: string
  /** What `memoryPrompt` of `@keepsake/files` gives. Always sent. */
  memoryFiles?: string
  /** What a search found, the best first: at most `memoryLimit` of them are sent, as far as they fit. */
  memories?: readonly Entry<unknown>[]
  /** Default 3. */
  memoryLimit?: number
  /** What memories may have together. Default a quarter of `maxTokens`. */
  maxMemoryTokens?: number
  /** Sent whole, or not at all where there is no room. */
  notes?: WorkingNotes
  /** What of it fits into the rest, as `tokenWindow` chooses it; the newest unit always. */
  history?: readonly Message[]
}

export type ContextSectionName = 'instructions' | 'memoryFiles' | 'memories' | 'notes' | 'history'

/** A memory, a unit of the history, or a section that is one piece. */
export interface ContextItem {
  /** A memory's source, the id of a unit's first message (or `#` and its place), or the section's name. */
  name: string
  /** Of a unit its exact number; of a memory that of its text, without the frame. */
  tokens: number
  kept: boolean
  /** `limit`: more than `memoryLimit`; `no_room`: over a budget; `invalid`: no provider takes it, see `window`. */
  why: 'always' | 'fits' | 'limit' | 'no_room' | 'invalid'
}

export interface ContextSection {
  section: ContextSectionName
  /** Exactly what the section's messages have. */
  tokens: number
  items: ContextItem[]
}

export interface AssembledContext {
  messages: Message[]
  /** Exactly what the messages have, and the sum of the sections. At most `maxTokens`. */
  tokens: number
  /** What was kept, what was cut and why, in the order of the prompt. Sections that were not given are left out. */
  explain: ContextSection[]
}

const MAX_TOKENS = 120_000
const MEMORY_LIMIT = 3

/**
 * Puts a prompt together within a budget of tokens, in this order: instructions, memory files, relevant memories (a line
 * each with its source), working notes, history. Instructions and files are system messages; memories and notes are data
 * in messages of their own, which `createHistory` never stores.
 *
 * Served first: instructions and files, the newest unit of the history, notes, memories from the best on, and then as much
 * of the history before the newest unit as is left for. Throws `too_large`, with the numbers, if the first two do not fit.
 *
 * Pure and synchronous; linear. `explain` says what became of everything.
 */
export function assembleContext(options: AssembleContextOptions): AssembledContext {
  const { maxTokens = MAX_TOKENS, count, memoryLimit = MEMORY_LIMIT, history = [], memories = [] } = options
  checkCount('assembleContext: maxTokens', maxTokens, 1, Number.MAX_SAFE_INTEGER)
  checkCount('assembleContext: memoryLimit', memoryLimit, 0, Number.MAX_SAFE_INTEGER)
  const { maxMemoryTokens = Math.floor(maxTokens / 4) } = options
  checkCount('assembleContext: maxMemoryTokens', maxMemoryTokens, 0, maxTokens)
  checkMessages('assembleContext', history)
  const counter = messageCounter('assembleContext', count)
  const messages: Message[] = []
  const explain: ContextSection[] = []

  const add = (section: ContextSectionName, items: ContextItem[], sent: readonly Message[]): void => {
    messages.push(...sent)
    explain.push({ section, tokens: counter.sum(sent), items })
  }
  for (const section of ['instructions', 'memoryFiles'] as const) {
    const content = options[section]
    if (content === undefined || content === '') continue
    const message: Message = { role: 'system', content }
    add(section, [{ name: section, tokens: counter.tokensOf(message), kept: true, why: 'always' }], [message])
  }

  // System messages of the history are instructions, too.
  const system = history.filter(({ role }) => role === 'system')
  const others = history.filter(({ role }) => role !== 'system')
  const units = splitUnits(others)
  const weights = units.map(counter.sum)
  const fixedTokens = counter.sum(messages) + counter.sum(system)
  const newestTokens = weights.at(-1) ?? 0
  let room = maxTokens - fixedTokens - newestTokens
  if (room < 0) {
    throw new KeepsakeError(
      'too_large',
      `assembleContext: instructions, memory files and the newest messages have ${fixedTokens + newestTokens} tokens; maxTokens is ${maxTokens}. Shorten them or allow more.`,
      { details: { fixedTokens, newestTokens, maxTokens } },
    )
  }

  const notes = options.notes === undefined ? undefined : notesMessage(options.notes)
  const notesTokens = notes === undefined ? 0 : counter.tokensOf(notes)
  const notesFit = notesTokens <= room
  if (notesFit) room -= notesTokens

  const { items, sent } = chooseMemories()
  const memoryMessages = sent.length === 0 ? [] : [recalledMessage(sent)]
  room -= counter.sum(memoryMessages)
  if (memories.length > 0) add('memories', items, memoryMessages)
  if (notes !== undefined) {
    const item = { name: 'notes', tokens: notesTokens, kept: notesFit, why: notesFit ? 'fits' : 'no_room' } as const
    add('notes', [item], notesFit ? [notes] : [])
  }
  if (history.length > 0) {
    const first = firstOfNewest(weights, room + newestTokens, 1)
    add('history', historyItems(first), [...system, ...units.slice(first).flat()])
    // System messages stand first in a prompt.
    messages.sort((a, b) => Number(b.role === 'system') - Number(a.role === 'system'))
  }
  return { messages, tokens: counter.sum(messages), explain }

  function chooseMemories(): { items: ContextItem[]; sent: ReturnType<typeof recalledMemory>[] } {
    const chosen: ReturnType<typeof recalledMemory>[] = []
    const budget = Math.min(room, maxMemoryTokens)
    const all = memories.map((entry): ContextItem => {
      const memory = recalledMemory(entry)
      const item = { name: memory.source, tokens: Math.ceil(counter.count(memory.text)) }
      if (chosen.length >= memoryLimit) return { ...item, kept: false, why: 'limit' }
      if (counter.tokensOf(recalledMessage([...chosen, memory])) > budget)
        return { ...item, kept: false, why: 'no_room' }
      chosen.push(memory)
      return { ...item, kept: true, why: 'fits' }
    })
    return { items: all, sent: chosen }
  }

  function historyItems(first: number): ContextItem[] {
    const places = new Map(history.map((message, index) => [message, index]))
    const nameOf = (message: Message): string => message.id ?? `#${places.get(message)!}`
    const whole = new Set(units.flat())
    const found = [
      ...system.map((message) => [message, { why: 'always', kept: true, tokens: counter.tokensOf(message) }] as const),
      ...units.map((unit, index) => {
        const why = index < first ? 'no_room' : index === units.length - 1 ? 'always' : 'fits'
        return [unit[0]!, { why, kept: index >= first, tokens: weights[index]! }] as const
      }),
      ...others
        .filter((message) => !whole.has(message))
        .map((message) => [message, { why: 'invalid', kept: false, tokens: counter.tokensOf(message) }] as const),
    ]
    return found
      .toSorted(([a], [b]) => places.get(a)! - places.get(b)!)
      .map(([message, item]): ContextItem => ({ name: nameOf(message), ...item }))
  }
}

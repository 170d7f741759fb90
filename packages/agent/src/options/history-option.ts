import {
  checkStore,
  chatMemory,
  KeepsakeError,
  type ChatMemory,
  type Clock,
  type Message,
  type RowStore,
} from '@keepsake/core'
import { createHistory, window, type History } from '@keepsake/strategies'
import { sharedStore } from './shared-store.ts'
import type { HistoryOption } from './agent-options.ts'
import { checkNames, refuse } from './refuse.ts'

export interface ChosenHistory {
  /** Left out: the agent keeps none. */
  history: History | undefined
  /** What the history is made of, where we made it: only that can list threads. */
  chat: ChatMemory<Message> | undefined
  /** Where runs are kept: beside what they say. Left out: nowhere, once they are over. */
  runStore: RowStore | undefined
}

const VERBS = ['load', 'append', 'prepare', 'clear'] as const

/** Turns every form of `history` into one. Throws `invalid_value` for anything else. */
export function chooseHistory(
  option: HistoryOption | undefined,
  store: RowStore | undefined,
  clock: Clock,
): ChosenHistory {
  if (option === 'none' || option === false) return { history: undefined, chat: undefined, runStore: undefined }
  if (option === undefined || option === 'default') return onChat(store, undefined, clock)
  if (typeof option !== 'object' || option === null) {
    throw refuse('history', "a history, { window }, { store }, 'default', 'none' or false", option)
  }
  if (VERBS.some((verb) => verb in option)) {
    const missing = VERBS.filter((verb) => typeof (option as Partial<History>)[verb] !== 'function')
    if (missing.length === 0) return { history: option as History, chat: undefined, runStore: store }
    throw new KeepsakeError(
      'invalid_value',
      `history must have the functions ${VERBS.join(', ')}; it lacks ${missing.join(', ')}.`,
    )
  }
  checkNames('history', option, ['window', 'store'])
  const { window: size, store: other = store } = option as { window?: number; store?: RowStore }
  if (Object.keys(option).length === 0) {
    throw new KeepsakeError('invalid_value', 'history is an empty object; give it window or store, or leave it out.')
  }
  if (other !== undefined) checkStore(other, 'history.store')
  return onChat(other, size, clock)
}

function onChat(store: RowStore | undefined, size: number | undefined, clock: Clock): ChosenHistory {
  const runStore = store ?? sharedStore()
  const chat = chatMemory(runStore, { clock })
  return { chat, runStore, history: createHistory({ chat, prepare: size === undefined ? [] : [window(size)] }) }
}

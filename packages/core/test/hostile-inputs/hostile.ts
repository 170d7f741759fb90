import type { ChatMemory, ErrorCode, Message, Records, RowStore } from '../../src/index.ts'

export interface Fixture {
  store: RowStore
  chat: ChatMemory<Message>
  notes: Records<unknown>
}

/** What is done, the code of its error, and a part of the message: what is wrong, and with what. */
export type Hostile = readonly [name: string, call: (f: Fixture) => unknown, code: ErrorCode, message: string]

/** An emoji that was cut. */
export const HALF = 'cut \uD83D'
export const LONG: string = 'x'.repeat(5000)

/** What a program without types may pass. */
export const any = (value: unknown): never => value as never

export const cycle: { self?: unknown } = {}
cycle.self = cycle

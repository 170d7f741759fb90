import { describeType, KeepsakeError, type CallOptions, type Key, type Records } from '@keepsake/core'
import type { WorkingNotes } from './working-notes.ts'

/** A change of working notes: what is left out stays, `null` takes a note away. */
export type NotesPatch = { readonly [K in keyof WorkingNotes]?: WorkingNotes[K] | null }

/** The working notes of a thread, kept from run to run. */
export interface NotesStore {
  /** `{}` where there are none. */
  read(threadId: string, options?: CallOptions): Promise<WorkingNotes>
  /** The notes, and whether some of them were written after reading untrusted content. */
  load(threadId: string, options?: CallOptions): Promise<{ notes: WorkingNotes; quarantined: boolean }>
  /**
   * Changes what the patch names and nothing else, also where others change other notes at the same time. Gives the notes
   * as they are then. `sources`: what was read for it that is not to be trusted; once given, the notes stay marked. Throws
   * `invalid_value`, naming the note, before anything is written.
   */
  patch(
    threadId: string,
    patch: NotesPatch,
    options?: CallOptions & { sources?: readonly string[] },
  ): Promise<WorkingNotes>
  clear(threadId: string, options?: CallOptions): Promise<void>
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isText)
const isPlace = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

const NOTES: { readonly [K in keyof WorkingNotes]-?: readonly [check: (value: unknown) => boolean, wanted: string] } = {
  currentGoal: [isText, 'a text'],
  planSteps: [isList, 'a list of texts'],
  currentStepIndex: [isPlace, 'a whole number from 0'],
  intermediateResults: [isMap, 'an object of texts'],
  observations: [isList, 'a list of texts'],
  hypotheses: [isList, 'a list of texts'],
  blockedOn: [isText, 'a text'],
}

/** Working notes as records, one for each thread, below `prefix` (default `['notes']`). Not searched. */
// oxlint-disable-next-line typescript/no-explicit-any -- values of any shape may lie beside them
export function notesStore(records: Records<any>, options: { prefix?: Key } = {}): NotesStore {
  const { prefix = ['notes'] } = options
  const load: NotesStore['load'] = async (threadId, { signal } = {}) => {
    const entry = await records.get([...prefix, threadId], { signal })
    return { notes: (entry?.value ?? {}) as WorkingNotes, quarantined: entry?.quarantined === true }
  }
  return {
    load,
    read: async (threadId, call) => (await load(threadId, call)).notes,
    async patch(threadId, patch, { sources = [], signal } = {}) {
      checkPatch(patch)
      const change = (notes: WorkingNotes | undefined): WorkingNotes =>
        Object.fromEntries(
          Object.entries({ ...notes, ...patch }).filter(([, value]) => value !== null && value !== undefined),
        )
      const from = sources.length === 0 ? {} : { sources }
      const entry = await records.update([...prefix, threadId], change, { index: false, signal, ...from })
      return (entry?.value ?? {}) as WorkingNotes
    },
    async clear(threadId, { signal } = {}) {
      await records.delete([...prefix, threadId], { signal })
    },
  }
}

function checkPatch(patch: unknown): void {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) throw wrong('A change', 'an object', patch)
  for (const [name, value] of Object.entries(patch)) {
    const note = Object.hasOwn(NOTES, name) ? NOTES[name as keyof WorkingNotes] : undefined
    if (note === undefined) {
      throw new KeepsakeError(
        'invalid_value',
        `There is no note "${name}"; there are ${Object.keys(NOTES).join(', ')}.`,
      )
    }
    const [check, wanted] = note
    if (value !== null && value !== undefined && !check(value)) throw wrong(name, wanted, value)
  }
}

function wrong(name: string, wanted: string, value: unknown): KeepsakeError {
  return new KeepsakeError('invalid_value', `Working notes: ${name} must be ${wanted}; it is ${describeType(value)}.`)
}

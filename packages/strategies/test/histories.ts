import * as fc from 'fast-check'
import type { Message } from '@keepsake/core'
import {
  approves,
  asks,
  callPart,
  calls,
  providerCall,
  resultPart,
  results,
  say,
  system,
  thinks,
  user,
} from './messages.ts'

type Unit = (id: string) => Message[]

const plainUnits: Unit[] = [
  () => [user('u')],
  () => [say('s')],
  (id) => [calls(id), results(id)],
  (id) => [calls(`${id}a`, `${id}b`), results(`${id}b`), results(`${id}a`)],
  (id) => [calls(`${id}a`, `${id}b`, `${id}c`), results(`${id}a`, `${id}b`, `${id}c`)],
  (id) => [thinks('t'), calls(id), results(id)],
  () => [thinks('t'), say('s')],
  (id) => [providerCall(id, true)],
  (id) => [asks(id, `${id}?`), approves(`${id}?`), results(id)],
  (id) => [{ role: 'assistant', content: [{ type: 'reasoning', text: 't' }, callPart(id)] }, results(id)],
]

/** Histories in which every call has its results: a list of units, each with ids of its own. */
export const wholeHistories: fc.Arbitrary<Message[][]> = fc
  .array(fc.constantFrom(...plainUnits), { maxLength: 40 })
  .map((units) => units.map((unit, i) => unit(`c${i}`)))

/** Any messages in any order, with few ids, so that pairs, orphans, repeats and overlaps of every kind turn up. */
export const anyHistory: fc.Arbitrary<Message[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(null).map(() => user('u')) },
    { weight: 2, arbitrary: fc.constant(null).map(() => say('s')) },
    fc.constant(null).map(() => system('x')),
    fc.constant(null).map(() => thinks('t')),
    { weight: 4, arbitrary: someIds().map((ids) => calls(...ids)) },
    { weight: 5, arbitrary: someIds().map((ids) => results(...ids)) },
    someIds().map(([id]) => asks(id!, `${id!}?`)),
    someIds().map(([id]) => approves(`${id!}?`)),
    fc.tuple(someIds(), fc.boolean()).map(([[id], answered]) => providerCall(id!, answered)),
    someIds().map(([id]): Message => ({ role: 'assistant', content: [resultPart(id!), { type: 'text', text: 's' }] })),
  ),
  { maxLength: 30 },
)

function someIds(): fc.Arbitrary<string[]> {
  return fc.uniqueArray(fc.constantFrom('c1', 'c2', 'c3', 'c4'), { minLength: 1, maxLength: 3 })
}

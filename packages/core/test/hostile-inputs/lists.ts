import { any, type Hostile, type Fixture } from './hostile.ts'

type List = (f: Fixture, o: never) => PromiseLike<unknown>
export const lists: Hostile[] = (
  [
    ['list', ({ notes }, o) => notes.list([], o)],
    ['search', ({ notes }, o) => notes.search([], 'x', o)],
    ['prefixes', ({ notes }, o) => notes.prefixes([], o)],
    ['threads of an owner', ({ chat }, o) => chat.threads(Object.assign({ owner: 'ada' }, o))],
    ['all threads', ({ chat }, o) => chat.threads(o)],
  ] as readonly (readonly [string, List])[]
).flatMap(([name, call]): Hostile[] => [
  ...([0, -1, 0.5, Number.NaN, Infinity, '5', null] as unknown[]).map((limit): Hostile => [
    `${name}: limit ${String(limit)}`,
    (f) => call(f, any({ limit })),
    'invalid_value',
    'limit must be a whole number from 1; it is ',
  ]),
  ...(['', 'nonsense', '%%%', '../../etc', 'AA', 'eyJhIjoxfQ', 5, null, {}] as unknown[]).map((cursor): Hostile => [
    `${name}: the cursor ${JSON.stringify(cursor)}`,
    (f) => call(f, any({ cursor })),
    'invalid_value',
    'cursor is not one that a page of this ',
  ]),
])

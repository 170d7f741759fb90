import { chatMemory, createClock, MAX_SEQ, records } from '../../src/index.ts'
import { any, type Hostile } from './hostile.ts'

export const options: Hostile[] = [
  ...([0, -1, 0.5, Number.NaN, Infinity, Number.MAX_SAFE_INTEGER, '60', null, new Date(0)] as unknown[]).map(
    (ttlMs): Hostile => [
      `put: ttlMs ${String(ttlMs)}`,
      ({ notes }) => notes.put(['k'], 1, { ttlMs: any(ttlMs) }),
      'invalid_value',
      'ttlMs must be a whole number of milliseconds from 1',
    ],
  ),
  ...([0.5, Number.NaN, '5', {}, true] as unknown[]).map((ifVersion): Hostile => [
    `put: ifVersion ${String(ifVersion)}`,
    ({ notes }) => notes.put(['k'], 1, { ifVersion: any(ifVersion) }),
    'invalid_value',
    'ifVersion must be a version that was read, or null for "only if there is none"',
  ]),
  ...(['m1', [1], {}, [undefined]] as unknown[]).map((sources): Hostile => [
    `put: sources ${JSON.stringify(sources)}`,
    ({ notes }) => notes.put(['k'], 1, { sources: any(sources) }),
    'invalid_value',
    'sources must be a list of texts; it is',
  ]),
  [
    'delete: ifVersion of no number',
    ({ notes }) => notes.delete(['k'], { ifVersion: any('1') }),
    'invalid_value',
    'ifVersion must be a version',
  ],
  [
    'update without a function',
    ({ notes }) => notes.update(['k'], any({ n: 1 })),
    'invalid_value',
    'change must be a function; it is an object.',
  ],
  [
    'update with a function that waits',
    ({ notes }) =>
      notes.update(
        ['k'],
        any(async () => 1),
      ),
    'invalid_value',
    'value is a Promise',
  ],
  [
    'putMany of no list',
    ({ notes }) => notes.putMany(any({ key: ['k'], value: 1 })),
    'invalid_value',
    'entries must be a list; it is an object.',
  ],
  [
    'putMany of null',
    ({ notes }) => notes.putMany([any(null)]),
    'invalid_value',
    'entries[0] must be { key, value, options? }; it is null.',
  ],
  [
    'putMany: a ttlMs of an entry',
    ({ notes }) =>
      notes.putMany([
        { key: ['a'], value: 1 },
        { key: ['b'], value: 1, options: { ttlMs: 0 } },
      ]),
    'invalid_value',
    'ttlMs must be',
  ],
  [
    'records: an area of nothing',
    ({ store }) => records(store, 'ada', { area: '' }),
    'invalid_key',
    'area is empty; leave it out.',
  ],
  [
    'records: the area of threads',
    ({ store }) => records(store, 'ada', { area: 't' }),
    'invalid_key',
    "area t holds the owner's list of threads; take another one.",
  ],
  [
    'records: an area of no text',
    ({ store }) => records(store, 'ada', { area: any(5) }),
    'invalid_key',
    'area must be a string; it is a number.',
  ],
  [
    'records: a schema that is none',
    ({ store }) => records(store, 'ada', { schema: any({ parse: () => 1 }) }),
    'invalid_value',
    'schema must be a Standard Schema',
  ],
  [
    'chatMemory: a schema that is none',
    ({ store }) => chatMemory(store, { schema: any('message') }),
    'invalid_value',
    'schema must be a Standard Schema',
  ],
  [
    'chatMemory: a ttlMs of nothing',
    ({ store }) => chatMemory(store, { ttlMs: 0 }),
    'invalid_value',
    'ttlMs must be a whole number of milliseconds from 1',
  ],
  [
    'chatMemory: a ttlMs in words',
    ({ store }) => chatMemory(store, { ttlMs: any('1h') }),
    'invalid_value',
    'it is a string. Leave it out to keep for ever.',
  ],
  [
    'a put by a clock that gives NaN',
    ({ store }) => records(store, 'ada', { clock: createClock({ nowMs: () => Number.NaN }) }).put(['k'], 2),
    'invalid_value',
    "The clock's nowMs() must give Unix milliseconds; it gave NaN.",
  ],
  [
    'an append by a clock beyond 2093',
    ({ store }) =>
      chatMemory(store, { clock: createClock({ nowMs: () => 4e12 }) }).append('t1', [{ role: 'user', content: 'x' }]),
    'invalid_value',
    `There is no version after ${MAX_SEQ}`,
  ],
]

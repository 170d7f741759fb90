import { inMemoryStore, records, type RowStore, type Storable } from '@keepsake/core'
import { scriptedModel, type ScriptedModel } from '@keepsake/store-testing'
import { describe, expect, it } from 'vitest'
import type { CheckedOptions } from '../../src/engine/check-engine-options.ts'
import { createEngineWith } from '../../src/engine/create-engine-with.ts'
import type { Activation, Engine } from '../../src/index.ts'
import { idle, keysOf, mortal, testTime, worker, type TestTime } from './support.ts'

const LEASE_MS = 30_000
const ENTITY = 'entity\u0001ada\u0001'
const event = { entity: 'ada', event: { id: 'e1', data: null } }
const ask = (text: string) => ({ prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }] })
const said = (answer: { content: { type: string; text?: string }[] }): string =>
  answer.content.map(({ text = '' }) => text).join('')

type Handler = CheckedOptions['handler']

/** An engine with a handler of our own kind. */
function inner(time: TestTime, store: RowStore, handler: Handler, model?: ScriptedModel): Engine<null, unknown> {
  const options = { store, longterm: store, leaseMs: LEASE_MS, handler: async () => null, ...(model && { model }) }
  return createEngineWith<null, unknown>(options, { seams: time.seams, handler })
}

/** Runs `first` on a worker that dies at a write of its event, and `second` on one that takes over. */
async function takenOver(
  write: number,
  first: Handler,
  second: Handler,
  options: { between?: (store: RowStore) => Promise<unknown>; model?: ScriptedModel } = {},
): Promise<{ outcome: unknown; store: RowStore; engine: Engine<null, unknown> }> {
  const time = testTime()
  const store = inMemoryStore()
  const mine = mortal(store)
  // 1 is the directory, 2 the claim, 3 the first entry.
  mine.dieAt(write, 'after')
  void inner(time, mine, first, options.model).activate(event)
  await idle()
  await options.between?.(store)
  const engine = inner(time, store, second, options.model)
  expect(await engine.activate(event)).toEqual({ status: 'busy' })
  await time.advance(LEASE_MS)
  return { outcome: await engine.activate(event), store, engine }
}

describe('model calls', () => {
  it('are journaled: a takeover is served the same answer, dates and all, and the model is not called', async () => {
    const model = scriptedModel((_call, index) => `Answer ${index + 1}.`)
    const handler: Handler = async (a) => {
      const answer = await a.callModel(ask('one'))
      return [said(answer), answer.finishReason.unified, answer.response?.timestamp instanceof Date]
    }
    const { outcome } = await takenOver(3, handler, handler, { model })
    expect(outcome).toMatchObject({ output: ['Answer 1.', 'stop', expect.anything()] })
    expect(model.calls).toHaveLength(1)
  })

  it('are known by their place, so that two equal ones are two', async () => {
    const model = scriptedModel((_call, index) => `Answer ${index + 1}.`)
    const engine = inner(
      testTime(),
      inMemoryStore(),
      async (a) => [said(await a.callModel(ask('same'))), said(await a.callModel(ask('same')))],
      model,
    )
    expect(await engine.activate(event)).toMatchObject({ output: ['Answer 1.', 'Answer 2.'] })
  })

  it('need a model', async () => {
    const engine = inner(testTime(), inMemoryStore(), async (a) => a.callModel(ask('one')))
    expect(await engine.activate(event)).toMatchObject({ status: 'failed', error: { code: 'unsupported' } })
  })
})

describe('steps', () => {
  it('give what is stored: a handler sees the same at once and after a crash', async () => {
    const handler: Handler = async (a) => {
      const value = await a.step('one', async () => ({ n: 1, left: undefined, at: new URL('https://a.test/') }))
      const nothing = await a.step('none', async () => undefined)
      return { keys: Object.keys(value), at: value.at as unknown as Storable, nothing: nothing === undefined }
    }
    const expected = { output: { keys: ['at', 'n'], at: 'https://a.test/', nothing: true } }
    expect(await inner(testTime(), inMemoryStore(), handler).activate(event)).toMatchObject({
      output: { ...expected.output, keys: expect.arrayContaining(['at', 'n']) as string[] },
    })
    expect((await takenOver(4, handler, handler)).outcome).toMatchObject({
      output: { ...expected.output, keys: expect.arrayContaining(['at', 'n']) as string[] },
    })
  })

  it('keep their failure: it is thrown again, and the step is not', async () => {
    let tries = 0
    const handler: Handler = async (a) => {
      try {
        await a.step('one', async () => {
          tries++
          throw new TypeError('Out of paper.')
        })
      } catch (error) {
        return (error as Error).message
      }
      return 'it worked'
    }
    const { outcome } = await takenOver(3, handler, handler)
    expect(outcome).toMatchObject({ output: 'Out of paper.' })
    expect(tries).toBe(1)
  })

  it('of which the result cannot be stored fail, and say where', async () => {
    const engine = inner(testTime(), inMemoryStore(), async (a) => a.step('one', async () => ({ at: new Map() })))
    expect(await engine.activate(event)).toMatchObject({
      error: { code: 'invalid_value', message: expect.stringContaining('The result of step one.at') as string },
    })
  })

  it('may give more than fits in a record', async () => {
    const large = 'ä'.repeat(3_000)
    const limits = { maxRecBytes: 70_000 }
    const time = testTime()
    const store = inMemoryStore()
    const mine = mortal(store, limits)
    let calls = 0
    const handler: Handler = async (a) => {
      const value = await a.step('large', async () => {
        calls++
        return Array.from({ length: 40 }, (_, n) => `${n}${large}`)
      })
      return value.map((text) => text.length)
    }
    // 1 directory, 2 claim, 3 parts, 4 the entry.
    mine.dieAt(4, 'after')
    void inner(time, mine, handler).activate(event)
    await idle()
    const engine = inner(time, mortal(store, limits), handler)
    await engine.activate(event)
    await time.advance(LEASE_MS)
    const lengths = Array.from({ length: 40 }, (_, n) => String(n).length + 3_000)
    expect(await engine.activate(event)).toMatchObject({ output: lengths })
    expect(calls).toBe(1)
    await engine.activate({ entity: 'ada', event: { id: 'e2', data: null } })
    await engine.activate({ entity: 'ada', event: { id: 'e3', data: null } })
    await idle()
    // Only the last event's: 240,000 bytes in four parts, and the entry.
    expect((await keysOf(store, ENTITY)).filter((key) => key.startsWith('j '))).toHaveLength(5)
  })

  it('that nobody awaits are finished before the event is decided', async () => {
    const gate = Promise.withResolvers<void>()
    const log: string[] = []
    const engine = inner(testTime(), inMemoryStore(), async (a) => {
      void a.step('beside', async () => {
        await gate.promise
        log.push('step')
      })
      return 'done'
    })
    const outcome = engine.activate(event).then((found) => {
      log.push('outcome')
      return found
    })
    await idle()
    gate.resolve()
    expect(await outcome).toMatchObject({ status: 'completed' })
    expect(log).toEqual(['step', 'outcome'])
  })
})

describe('a replay', () => {
  it('that asks something else has diverged, before anything is called', async () => {
    const calls: string[] = []
    const handlerOf =
      (name: string): Handler =>
      async (a) =>
        a.step(name, async () => calls.push(name))
    const { outcome, engine } = await takenOver(3, handlerOf('one'), handlerOf('two'))
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'replay_diverged' } })
    expect(calls).toEqual(['one'])
    expect((await engine.deadLetters()).items).toMatchObject([{ kind: 'replay_diverged' }])
  })

  it('that leaves an entry unused has diverged', async () => {
    const { outcome } = await takenOver(
      3,
      async (a) => a.step('one', async () => 1),
      async () => 2,
    )
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'replay_diverged' } })
  })

  it('that cannot swallow it has diverged all the same', async () => {
    const { outcome } = await takenOver(
      3,
      async (a) => a.step('one', async () => 1),
      async (a) => a.step('two', async () => 2).catch(() => 'swallowed'),
    )
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'replay_diverged' } })
  })

  it('is served what was read before an entry, whatever it is now', async () => {
    const handler: Handler = async (a) => {
      const read = (await a.longterm.get(['x']))?.value ?? 'nothing'
      return a.step(`with ${JSON.stringify(read)}`, async () => read)
    }
    const { outcome } = await takenOver(3, handler, handler, {
      between: (store) => records(store, 'ada').put(['x'], 'changed'),
    })
    expect(outcome).toMatchObject({ output: 'nothing' })
  })

  it('of parallel scopes starts again where it read something else than what led to an entry, and then agrees', async () => {
    // `quick` is journaled; `slow`, which stands before it, has read x but is not. What follows asks with both.
    const gate = Promise.withResolvers<void>()
    let hang = true
    const runs: string[] = []
    const handler: Handler = async (_a, calls) => {
      runs.push('run')
      const [slow, quick] = await Promise.all([
        calls.scope('slow', async (scope) => {
          const x = await scope.outside(async () => values.x)
          if (hang) await gate.promise
          return scope.call({ asked: ['slow', x], make: async () => `slow ${JSON.stringify(x)}` })
        }),
        calls.scope('quick', async (scope) => scope.call({ asked: 'quick', make: async () => 'quick' })),
      ])
      return calls.step(`after ${JSON.stringify([slow, quick])}`, async () => [slow, quick])
    }
    const values: { x: Storable } = { x: 1 }
    const { outcome } = await takenOver(3, handler, handler, {
      async between() {
        values.x = 2
        hang = false
      },
    })
    expect(outcome).toMatchObject({ status: 'completed', output: ['slow 2', 'quick'] })
    expect(runs).toHaveLength(2)
  })

  it('reads that end a scope are written with an entry of their own, and served', async () => {
    const values = { x: 1 }
    const handler: Handler = async (_a, calls) => {
      const [a, b] = await Promise.all(
        ['a', 'b'].map((name) => calls.scope(name, (scope) => scope.outside(async () => values.x++))),
      )
      return calls.step(`with ${JSON.stringify([a, b])}`, async () => [a!, b!])
    }
    // 3 and 4 are the edges, 5 is the step.
    const { outcome } = await takenOver(5, handler, handler)
    expect(outcome).toMatchObject({ output: [1, 2] })
    expect(values.x).toBe(3)
  })
})

it('a call begins only while the lease is surely ours: else it is renewed first, and a stale renewal ends the attempt', async () => {
  const time = testTime()
  const store = inMemoryStore()
  let down = false
  const flaky: RowStore = {
    ...store,
    async write(rows, options) {
      if (down) throw new Error('The network is gone.')
      return store.write(rows, options)
    },
  }
  const gate = Promise.withResolvers<void>()
  const calls: string[] = []
  const sleepy = worker<null, string>(time, {
    store: flaky,
    leaseMs: LEASE_MS,
    handler: async (a) => {
      await gate.promise
      return a.step('one', async () => {
        calls.push('sleepy')
        return 'sleepy'
      })
    },
  })
  const asleep = sleepy.activate(event)
  await idle()
  down = true
  const other = worker<null, string>(time, {
    store,
    leaseMs: LEASE_MS,
    handler: (a) =>
      a.step('one', async () => {
        calls.push('other')
        return 'other'
      }),
  })
  expect(await other.activate(event)).toEqual({ status: 'busy' })
  await time.advance(LEASE_MS)
  expect(await other.activate(event)).toMatchObject({ output: 'other' })
  down = false
  gate.resolve()
  expect(await asleep).toMatchObject({ output: 'other', replayed: true })
  expect(calls).toEqual(['other'])
})

it('the idempotency key is the same for every attempt, and another for another event', async () => {
  const keys: string[] = []
  const handler: Handler = async (a: Activation) => {
    keys.push(a.idempotencyKey)
    return a.step('one', async () => 1)
  }
  const { engine } = await takenOver(3, handler, handler)
  await engine.activate({ entity: 'ada', event: { id: 'e2', data: null } })
  expect(keys).toHaveLength(3)
  expect(keys[0]).toBe(keys[1])
  expect(keys[2]).not.toBe(keys[0])
  expect(keys.every((key) => /^[\w-]{1,64}$/.test(key))).toBe(true)
})

it('the journal of what was committed is gone after the next claim', async () => {
  const store = inMemoryStore()
  const engine = inner(testTime(), store, async (a) => a.step('one', async () => 1))
  for (const id of ['e1', 'e2', 'e3']) {
    await engine.activate({ entity: 'ada', event: { id, data: null } })
    await idle()
    expect((await keysOf(store, ENTITY)).filter((key) => key.startsWith('j '))).toHaveLength(1)
  }
})

import { inMemoryStore, records } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { contentId, notesStore } from '../src/index.ts'

describe('notesStore', () => {
  const setup = () => {
    const own = records(inMemoryStore(), 'ada')
    return { own, notes: notesStore(own) }
  }

  it('changes what a patch names, and nothing else', async () => {
    const { notes } = setup()
    expect(await notes.read('t')).toEqual({})
    await notes.patch('t', { currentGoal: 'Dinner', observations: ['hungry'], blockedOn: 'money' })
    expect(await notes.patch('t', { currentStepIndex: 1, blockedOn: null })).toEqual({
      currentGoal: 'Dinner',
      observations: ['hungry'],
      currentStepIndex: 1,
    })
    expect(await notes.read('t')).toEqual(await notes.patch('t', {}))
    expect(await notes.read('other')).toEqual({})
    await notes.clear('t')
    expect(await notes.read('t')).toEqual({})
  })

  it('loses nothing where several change different notes at once', async () => {
    const { notes } = setup()
    const patches = [
      { currentGoal: 'g' },
      { planSteps: ['a'] },
      { hypotheses: ['h'] },
      { intermediateResults: { k: 'v' } },
    ]
    await Promise.all(patches.map((patch) => notes.patch('t', patch)))
    expect(await notes.read('t')).toEqual(Object.assign({}, ...patches))
  })

  it.each([
    [{ mood: 'fine' }, 'There is no note "mood"'],
    [{ toString: 'x' }, 'There is no note "toString"'],
    [{ currentGoal: 3 }, 'currentGoal must be a text'],
    [{ planSteps: 'a' }, 'planSteps must be a list of texts'],
    [{ currentStepIndex: -1 }, 'currentStepIndex must be a whole number from 0'],
    [{ intermediateResults: { a: 1 } }, 'intermediateResults must be an object of texts'],
    ['x', 'A change must be an object'],
  ])('refuses %j before anything is written', async (patch, what) => {
    const { own, notes } = setup()
    await expect(notes.patch('t', patch as never)).rejects.toThrow(what)
    expect((await own.list([])).items).toEqual([])
  })
})

describe('contentId', () => {
  it('is the same for equal values, whatever the order of names, and for no others', async () => {
    expect(await contentId({ a: 1, b: ['x'] })).toBe(await contentId({ b: ['x'], a: 1 }))
    expect(await contentId(' likes pizza\n')).toBe(await contentId('likes pizza'))
    expect(await contentId('caf\u00e9')).toBe(await contentId('cafe\u0301'))
    const ids = await Promise.all(
      [['a', 'b'], ['ab'], 'ab', ['b', 'a'], { a: 'b' }, null, 1, '1'].map((value) => contentId(value)),
    )
    expect(new Set(ids).size).toBe(8)
    // Worked out with sha256sum of the JSON text "likes pizza", quotes included.
    expect(await contentId('likes pizza')).toBe('d6b583ba2dd5d3ebdeaa4e5b14800497')
  })
})

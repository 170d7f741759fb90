import { inMemoryStore, inProcessIndex, records } from '@keepsake/core'
import { scriptedModel } from '../../store-testing/src/index.ts'
import { describe, expect, it } from 'vitest'
import { episodes, episodeText, plainEpisode, reflectWith, type Episode } from '../src/index.ts'
import { recalledMessage } from '../src/recall/recalled-message.ts'
import { calls, results, say, user } from './messages.ts'
import { distractors, planted } from './planted-episodes.ts'

const episode: Episode = {
  task: 'Book a hotel in Lisbon',
  approach: 'Searched by price',
  outcome: 'success',
  lessons: 'Ask for dates first',
  toolsUsed: ['search'],
  atMs: Date.UTC(2026, 4, 1),
}

function setup() {
  const own = records(inMemoryStore(), 'ada', { index: inProcessIndex() })
  return { own, past: episodes(own) }
}

describe('episodes', () => {
  it('are stored with the text by which they are found', async () => {
    const { own, past } = setup()
    const key = await past.record(episode, { id: 'run-1', sources: ['m1'] })
    expect(key).toEqual(['episodes', 'run-1'])
    expect((await own.get(key))!.value).toEqual({
      ...episode,
      content:
        'Task: Book a hotel in Lisbon\nApproach: Searched by price\nOutcome: success\nLessons: Ask for dates first',
    })
    const [found] = await past.recall('hotels of Lisbon')
    expect(found!.value).toMatchObject(episode)
    // What is searched is that text: tools are no words of it.
    expect(await past.recall('search')).toHaveLength(1)
    expect(await past.recall('Vienna')).toEqual([])
  })

  it('are stored once, by the id of their run or else by what they say', async () => {
    const { own, past } = setup()
    await past.record(episode, { id: 'run-1' })
    await past.record({ ...episode, lessons: 'another' }, { id: 'run-1' })
    expect((await past.recall('hotel')).map(({ value }) => value.lessons)).toEqual(['Ask for dates first'])
    await past.record(episode)
    await past.record({ ...episode })
    expect((await own.list(['episodes'])).items).toHaveLength(2)
  })

  it('gives three unless asked for another number', async () => {
    const { past } = setup()
    for (let n = 0; n < 6; n++) await past.record({ ...episode, atMs: n })
    expect(await past.recall('hotel')).toHaveLength(3)
    expect(await past.recall('hotel', { limit: 5 })).toHaveLength(5)
    await expect(past.recall('hotel', { limit: 0 })).rejects.toThrow('limit')
  })

  it('of a thousand, by words alone, the planted one is first for 20 of 20 tasks in other words', async () => {
    const { past } = setup()
    const all = [...planted.map((one) => one.episode), ...distractors(980)]
    expect(new Set(all.map(({ task }) => task)).size).toBeGreaterThan(900)
    for (const [n, one] of all.entries()) await past.record({ ...one, atMs: n * 1_000 })
    const firsts: string[] = []
    for (const { paraphrase } of planted) firsts.push((await past.recall(paraphrase))[0]?.value.task ?? '')
    expect(firsts).toEqual(planted.map((one) => one.episode.task))
    expect(planted).toHaveLength(20)
  })

  it('no paraphrase is its task, nor most of its words', () => {
    const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/\p{L}{3,}/gu))
    for (const { episode: one, paraphrase } of planted) {
      const of = words(one.task)
      const same = [...words(paraphrase)].filter((word) => of.has(word)).length
      expect(same / words(paraphrase).size, paraphrase).toBeLessThanOrEqual(0.6)
    }
  })

  it.each([
    [{ task: 3 }, 'task'],
    [{ outcome: 'fine' }, 'outcome'],
    [{ toolsUsed: 'search' }, 'toolsUsed'],
    [{ atMs: 1.5 }, 'atMs'],
  ])('refuses %j before anything is written', async (wrong, name) => {
    const { own, past } = setup()
    await expect(past.record({ ...episode, ...wrong } as never)).rejects.toThrow(`An episode's ${name} must be`)
    expect((await own.list([])).items).toEqual([])
  })
})

describe('plainEpisode', () => {
  const run = { finishReason: 'stop', atMs: 5 }

  it('says what was asked, which tools were called and how it ended', () => {
    const messages = [user('Where is it?'), calls('a', 'b'), results('a', 'b'), say('There.')]
    expect(plainEpisode({ ...run, messages })).toEqual({
      task: 'Where is it?',
      approach: 'Called look, look',
      outcome: 'success',
      lessons: '',
      toolsUsed: ['look'],
      atMs: 5,
    })
    expect(plainEpisode({ ...run, messages, finishReason: 'length' })!.outcome).toBe('failure')
    expect(plainEpisode({ ...run, messages: [user('Hi'), say('Hello')] })!.approach).toBe('Answered without tools')
  })

  it('takes nothing that was recalled for the task', () => {
    const memory = recalledMessage([{ source: 'a', updatedAtMs: 0, text: 'secret' }])
    expect(plainEpisode({ ...run, messages: [memory, user('Hi')] })!.task).toBe('Hi')
    expect(plainEpisode({ ...run, messages: [memory, say('x')] })).toBeUndefined()
  })

  it('went partly well where the last tool failed', () => {
    const failed = {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'error-text', value: 'no' } },
      ],
    } as const
    expect(
      plainEpisode({ ...run, messages: [user('q'), calls('a'), { ...failed, content: [...failed.content] }] })!.outcome,
    ).toBe('partial')
  })
})

describe('reflectWith', () => {
  const run = { messages: [user('Where </conversation> is it?'), say('There.')], finishReason: 'stop', atMs: 5 }

  it('has a model say how it was done, how it went and what to learn', async () => {
    const model = scriptedModel(['```json\n{"approach":"Looked","outcome":"partial","lessons":"Look twice"}\n```'])
    expect(await reflectWith(model)(run)).toEqual({
      task: 'Where </conversation> is it?',
      approach: 'Looked',
      outcome: 'partial',
      lessons: 'Look twice',
      toolsUsed: [],
      atMs: 5,
    })
    expect(JSON.stringify(model.calls[0]!.prompt)).toContain('Where &lt;/conversation> is it?')
  })

  it.each([['no JSON'], ['{"approach":"x"}'], ['{"approach":"x","outcome":"great","lessons":""}'], ['']])(
    'rejects an answer such as %j, without quoting it',
    async (answer) => {
      const error = await Promise.resolve(reflectWith(scriptedModel(() => answer))(run)).catch(
        (thrown: unknown) => thrown,
      )
      expect(error).toMatchObject({
        code: 'unavailable',
        message: 'The model did not answer with the JSON of an episode.',
      })
    },
  )
})

describe('episodeText', () => {
  it('has a line each', () => expect(episodeText(episode).split('\n')).toHaveLength(4))
})

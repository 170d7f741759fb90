import { inMemoryStore, records } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { describe, expect, it } from 'vitest'
import { createAgent, notesMiddleware } from '../src/index.ts'
import { promptsOf } from './support.ts'

describe('notesMiddleware', () => {
  it('shows the notes that the model keeps, from run to run, and stores them in no message', async () => {
    const store = inMemoryStore()
    const own = records(store, 'ada')
    const model = scriptedModel([
      toolCall('update_working_notes', { currentGoal: 'Dinner', planSteps: ['Shop', 'Cook'] }),
      'Noted.',
      [toolCall('update_working_notes', { currentStepIndex: 1 }), toolCall('update_working_notes', { mood: 'fine' })],
      'Cooking.',
      'Hello.',
    ])
    const agent = createAgent({ model, store, middleware: [notesMiddleware({ from: own })] })
    await agent.run({ threadId: 't', prompt: 'Dinner for two' })
    await agent.run({ threadId: 't', prompt: 'I have shopped' })
    await agent.run({ threadId: 'other', prompt: 'Hi' })
    const prompts = promptsOf(model)
    expect(prompts[0]).toEqual(['user: Dinner for two'])
    expect(prompts[2]!.slice(-2)).toEqual([
      'user: <working_notes>\nCurrent working memory:\nCurrent Goal: Dinner\n\nPlan:\n>>> [TODO] Step 1: Shop\n    [TODO] Step 2: Cook\n</working_notes>',
      'user: I have shopped',
    ])
    const answer = JSON.stringify(model.calls[3]!.prompt)
    expect(answer).toContain('[DONE] Step 1: Shop')
    expect(answer).toContain('There is no note')
    expect(prompts[4]).toEqual(['user: Hi'])
    expect(JSON.stringify((await agent.messages('t')).filter(({ role }) => role === 'user'))).not.toContain(
      'working_notes',
    )
  })
})

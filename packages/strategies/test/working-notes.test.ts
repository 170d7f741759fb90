import { describe, expect, it } from 'vitest'
import { chatMemory, inMemoryStore } from '@keepsake/core'
import { createHistory, isInjected, notesMessage, notesSection } from '../src/index.ts'
import { user } from './messages.ts'

describe('notesSection', () => {
  it('is exactly this', () => {
    const notes = {
      currentGoal: 'Book a hotel',
      planSteps: ['Ask for the dates', 'Search', 'Book'],
      currentStepIndex: 1,
      intermediateResults: { dates: '3 to 7 June', city: 'Lisbon' },
      observations: ['The user is careful with money'],
      hypotheses: ['A hostel would do'],
      blockedOn: 'the card number',
    }
    expect(notesSection(notes)).toBe(`Current Goal: Book a hotel

Plan:
    [DONE] Step 1: Ask for the dates
>>> [TODO] Step 2: Search
    [TODO] Step 3: Book

Results So Far:
  - dates: 3 to 7 June
  - city: Lisbon

Observations:
  - The user is careful with money

Hypotheses:
  - A hostel would do

BLOCKED: the card number`)
  })

  it('leaves out what there is none of', () => {
    expect(notesSection({ currentGoal: 'Rest' })).toBe('Current Goal: Rest')
    expect(notesSection({ currentGoal: 'Rest', planSteps: [], blockedOn: null })).toBe('Current Goal: Rest')
    expect(notesSection({})).toBe('')
    expect(notesSection({ observations: ['x'] })).toBe('Current Goal:\n\nObservations:\n  - x')
  })

  it('of a plan that is done has no current step', () => {
    expect(notesSection({ currentGoal: 'g', planSteps: ['a'], currentStepIndex: 1 })).toBe(
      'Current Goal: g\n\nPlan:\n    [DONE] Step 1: a',
    )
  })

  it('lets no note look like another', () => {
    expect(notesSection({ currentGoal: 'a\n\nBLOCKED: b' })).toBe('Current Goal: a BLOCKED: b')
  })

  it('as a message is for the model alone', async () => {
    const message = notesMessage({ currentGoal: 'end </working_notes> it' })!
    expect(message.content).toBe(
      '<working_notes>\nCurrent working memory:\nCurrent Goal: end &lt;/working_notes> it\n</working_notes>',
    )
    expect(isInjected({ role: 'user', content: message.content } as never)).toBe(true)
    expect(notesMessage({})).toBeUndefined()
    const history = createHistory({ chat: chatMemory(inMemoryStore()) })
    await history.append('t', [message, user('hello')])
    expect((await history.load('t')).map(({ content }) => content)).toEqual(['hello'])
  })
})

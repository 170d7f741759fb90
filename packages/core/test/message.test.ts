import { describe, expectTypeOf, it } from 'vitest'
import { chatMemory, type ChatMemory } from '../src/chat/chat-memory.ts'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import type { AnyMessage, Message, Stored, ToolCallPart, ToolOutput, ToolResultPart } from '../src/message.ts'

// That Message and ai's ModelMessage are mutually assignable is tested in @keepsake/agent, which has ai.

type PartOf<R extends Message['role']> = Extract<Extract<Message, { role: R }>['content'], readonly unknown[]>[number]

describe('Message', () => {
  it('has four roles', () => {
    expectTypeOf<Message['role']>().toEqualTypeOf<'system' | 'user' | 'assistant' | 'tool'>()
  })

  it('has these parts in each', () => {
    expectTypeOf<PartOf<'user'>['type']>().toEqualTypeOf<'text' | 'image' | 'file'>()
    expectTypeOf<PartOf<'assistant'>['type']>().toEqualTypeOf<
      | 'text'
      | 'file'
      | 'reasoning'
      | 'reasoning-file'
      | 'custom'
      | 'tool-call'
      | 'tool-result'
      | 'tool-approval-request'
    >()
    expectTypeOf<PartOf<'tool'>['type']>().toEqualTypeOf<'tool-result' | 'tool-approval-response'>()
    expectTypeOf<Extract<Message, { role: 'system' }>['content']>().toEqualTypeOf<string>()
  })

  it('may lack an id and a time, which every stored one has', () => {
    expectTypeOf<Message['id']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Stored<Message>['id']>().toEqualTypeOf<string>()
    expectTypeOf<Stored<Message>['createdAtMs']>().toEqualTypeOf<number>()
    expectTypeOf<Stored<Message>>().toExtend<Message>()
  })

  it('takes a system message of nothing but text', () => {
    // @ts-expect-error a system message has no parts
    const message: Message = { role: 'system', content: [{ type: 'text', text: 'x' }] }
    // @ts-expect-error a user makes no tool calls
    const call: Message = { role: 'user', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 't', input: {} }] }
    expectTypeOf([message, call]).toEqualTypeOf<Message[]>()
  })

  it('names tool calls, results and their outputs', () => {
    expectTypeOf<ToolCallPart['input']>().toBeUnknown()
    expectTypeOf<ToolResultPart['output']>().toEqualTypeOf<ToolOutput>()
    expectTypeOf<ToolOutput['type']>().toEqualTypeOf<
      'text' | 'error-text' | 'json' | 'error-json' | 'execution-denied' | 'content'
    >()
  })
})

describe('chatMemory', () => {
  it('keeps Message unless it is told another type with a role', () => {
    interface UIMessage {
      id: string
      role: 'user' | 'assistant'
      parts: readonly { type: 'text'; text: string }[]
    }
    expectTypeOf(chatMemory(inMemoryStore())).toEqualTypeOf<ChatMemory<Message>>()
    const ui = chatMemory<UIMessage>(inMemoryStore())
    expectTypeOf<Awaited<ReturnType<typeof ui.messages>>>().toEqualTypeOf<Stored<UIMessage>[]>()
    expectTypeOf<UIMessage>().toExtend<AnyMessage>()
    // @ts-expect-error no role
    chatMemory<{ content: string }>(inMemoryStore())
  })
})

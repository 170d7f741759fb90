import { randomUUID } from 'node:crypto'
import { AIMessage, HumanMessage, type BaseMessage } from '@langchain/core/messages'
import { MemorySaver, MessagesAnnotation, StateGraph, type BaseCheckpointSaver } from '@langchain/langgraph'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { Pool } from 'pg'
import { INSTANT_ANSWER } from './instant-model.ts'

/** A turn of the same work in LangGraph: one node that has its answer ready, with its own checkpointer. */
export interface LanggraphTurn extends AsyncDisposable {
  run(): Promise<unknown>
}

async function turnOn(
  checkpointer: BaseCheckpointSaver,
  messages: number,
  end: () => Promise<void>,
): Promise<LanggraphTurn> {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('model', () => ({ messages: [new AIMessage(INSTANT_ANSWER)] }))
    .addEdge('__start__', 'model')
    .addEdge('model', '__end__')
    .compile({ checkpointer })
  const config = { configurable: { thread_id: randomUUID() } }
  const past = Array.from({ length: messages - 2 }, (_, n): BaseMessage => {
    const text = 'x'.repeat(200)
    return n % 2 === 0 ? new HumanMessage(text) : new AIMessage(text)
  })
  await graph.invoke({ messages: [...past, new HumanMessage('x'.repeat(200))] }, config)
  return {
    run: () => graph.invoke({ messages: [new HumanMessage('And now?')] }, config),
    [Symbol.asyncDispose]: end,
  }
}

export function memorySaverTurn(messages: number): Promise<LanggraphTurn> {
  return turnOn(new MemorySaver(), messages, async () => {})
}

/** In a schema of its own, which is removed in the end. */
export async function postgresSaverTurn(url: string, messages: number): Promise<LanggraphTurn> {
  const schema = `keepsake_bench_langgraph_${randomUUID().replaceAll('-', '')}`
  const saver = PostgresSaver.fromConnString(url, { schema })
  await saver.setup()
  return turnOn(saver, messages, async () => {
    await saver.end()
    const pool = new Pool({ connectionString: url })
    await pool.query(`drop schema ${schema} cascade`)
    await pool.end()
  })
}

import { AIMessage, HumanMessage, type BaseMessage } from '@langchain/core/messages'
import { emptyCheckpoint, uuid6, type BaseCheckpointSaver, type Checkpoint } from '@langchain/langgraph-checkpoint'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { Pool } from 'pg'
import { ownName } from './own-name.ts'
import { textOf, type ThreadPeer } from './thread-peer.ts'

const SCHEMA = ownName('langgraph')

export async function openLangGraphPostgres(url: string): Promise<ThreadPeer> {
  const pool = new Pool({ connectionString: url })
  const saver = new PostgresSaver(pool, undefined, { schema: SCHEMA })
  await saver.setup()
  return threadsIn(saver, async () => {
    await pool.query(`drop schema ${SCHEMA} cascade`)
    await pool.end()
  })
}

/** Its file is in WAL mode, where better-sqlite3 syncs no commit: a power cut may take the last ones. */
export async function openLangGraphSqlite(path: string): Promise<ThreadPeer> {
  const saver = SqliteSaver.fromConnString(path)
  return threadsIn(saver, async () => {
    saver.db.close()
  })
}

/**
 * A turn of a graph reads the newest checkpoint and puts the next, with all messages in one channel. That is the least: a
 * graph puts one for its input as well.
 */
function threadsIn(saver: BaseCheckpointSaver, close: () => Promise<void>): ThreadPeer {
  async function put(thread: string, messages: BaseMessage[], parent?: string): Promise<void> {
    const version = messages.length
    const checkpoint: Checkpoint = {
      ...emptyCheckpoint(),
      id: uuid6(version),
      ts: new Date().toISOString(),
      channel_values: { messages },
      channel_versions: { messages: version },
    }
    const { configurable } = configOf(thread)
    const config = { configurable: { ...configurable, ...(parent !== undefined && { checkpoint_id: parent }) } }
    await saver.put(config, checkpoint, { source: 'loop', step: version, parents: {} }, { messages: version })
  }

  async function newest(thread: string): Promise<{ id: string; messages: BaseMessage[] }> {
    const { checkpoint } = (await saver.getTuple(configOf(thread)))!
    return { id: checkpoint.id, messages: checkpoint.channel_values['messages'] as BaseMessage[] }
  }

  return {
    fill: (thread, messages) =>
      put(
        thread,
        Array.from({ length: messages }, (_, i) => message(i)),
      ),
    async append(thread, number) {
      const { id, messages } = await newest(thread)
      await put(thread, [...messages, message(number)], id)
    },
    async last(thread, count) {
      const { messages } = await newest(thread)
      return messages.slice(-count).map(({ text }) => text)
    },
    [Symbol.asyncDispose]: close,
  }
}

function message(number: number): BaseMessage {
  const fields = { id: crypto.randomUUID(), content: textOf(number) }
  return number % 2 === 0 ? new HumanMessage(fields) : new AIMessage(fields)
}

function configOf(thread: string) {
  return { configurable: { thread_id: thread, checkpoint_ns: '' } }
}

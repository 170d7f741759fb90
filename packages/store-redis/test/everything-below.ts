import { Cluster, Redis } from 'ioredis'

/** All keys below a prefix on all servers, and what is in them, as one text. */
export async function everythingBelow(url: string, prefix: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const client = url.startsWith('redis+cluster:')
    ? new Cluster([{ host: hostname, port: Number(port) }])
    : new Redis(url)
  try {
    const found: string[] = []
    if (client instanceof Cluster) await client.ping()
    for (const node of client instanceof Cluster ? client.nodes('master') : [client]) {
      for await (const keys of node.scanStream({ match: `${prefix}:*`, count: 1000 })) {
        for (const key of keys as string[]) found.push(key, ...(await contentsOf(node, key)))
      }
    }
    return found.join('\n')
  } finally {
    client.disconnect()
  }
}

async function contentsOf(node: Redis, key: string): Promise<string[]> {
  const type = await node.type(key)
  const texts = (buffers: readonly Buffer[]): string[] => buffers.map((bytes) => bytes.toString('latin1'))
  if (type === 'zset') return texts(await node.zrangeBuffer(key, 0, '-1'))
  if (type !== 'hash') return [type]
  return Object.entries(await node.hgetallBuffer(key)).flatMap(([field, value]) => [field, value.toString('latin1')])
}

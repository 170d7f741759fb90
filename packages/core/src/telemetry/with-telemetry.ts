import {
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
  ValueType,
  type Attributes,
  type MeterProvider,
  type TracerProvider,
} from '@opentelemetry/api'
import { KeepsakeError } from '../errors.ts'
import type { RowStore } from '../rows/row-store.ts'

export interface TelemetryOptions {
  /** Default: the global one, which does nothing until an SDK is registered. */
  tracerProvider?: TracerProvider
  /** Default: the global one. */
  meterProvider?: MeterProvider
  /**
   * Puts entities and keys into spans, which name people, threads and what is remembered of them. Default `false`. Records
   * are never put anywhere.
   */
  captureContent?: boolean
  /** Milliseconds that never step back, for durations. Default: `performance.now`. */
  monotonicMs?: () => number
}

const SCOPE = '@keepsake/core'
/** What the conventions advise for `db.client.operation.duration`, in seconds. */
const BUCKETS_S = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

/** What the conventions call the systems; other stores go by their own name. */
const SYSTEMS: Readonly<Record<string, string>> = {
  postgres: 'postgresql',
  mysql: 'mysql',
  sqlite: 'sqlite',
  redis: 'redis',
  firestore: 'gcp.firestore',
  bigtable: 'gcp.bigtable',
}

/**
 * A store whose calls are spans and metrics, by OpenTelemetry's conventions for database clients
 * (https://opentelemetry.io/docs/specs/semconv/database/). Needs `@opentelemetry/api`; costs a microsecond or two a call
 * where no SDK is registered.
 *
 * - Spans `load`, `scan`, `entities`, `write`, `remove`, `removeEntity`, `provision` and `verify`, of kind client:
 *   `db.system.name`, `db.operation.name`, `db.operation.batch.size`, `db.response.returned_rows`, `keepsake.stale` (rows of a
 *   write that were not applied), `error.type` (the code of a KeepsakeError).
 * - A histogram `db.client.operation.duration` in seconds, with system, operation and error.
 *
 * Nothing that a span or a metric holds is content, an entity or a key, unless `captureContent` is set.
 */
export function withTelemetry(store: RowStore, options: TelemetryOptions = {}): RowStore {
  const tracer = (options.tracerProvider ?? trace).getTracer(SCOPE)
  const meter = (options.meterProvider ?? metrics).getMeter(SCOPE)
  const { captureContent = false } = options
  // Durations are not times: they need no clock that knows the date.
  // oxlint-disable-next-line no-restricted-properties
  const nowMs = options.monotonicMs ?? (() => performance.now())
  const duration = meter.createHistogram('db.client.operation.duration', {
    description: 'Duration of database client operations.',
    unit: 's',
    valueType: ValueType.DOUBLE,
    advice: { explicitBucketBoundaries: BUCKETS_S },
  })
  const system = SYSTEMS[store.name] ?? store.name

  async function observed<T>(
    operation: string,
    attributes: Attributes,
    content: () => Attributes,
    work: () => Promise<T>,
    describe: (result: T) => Attributes = () => ({}),
  ): Promise<T> {
    const common = { 'db.system.name': system, 'db.operation.name': operation }
    const startedMs = nowMs()
    return tracer.startActiveSpan(
      operation,
      { kind: SpanKind.CLIENT, attributes: { ...common, ...attributes, ...(captureContent && content()) } },
      async (span) => {
        const outcome: Attributes = {}
        try {
          const result = await work()
          span.setAttributes(describe(result))
          return result
        } catch (error) {
          outcome['error.type'] = errorType(error)
          span.setAttributes(outcome)
          span.setStatus({ code: SpanStatusCode.ERROR })
          throw error
        } finally {
          duration.record((nowMs() - startedMs) / 1000, { ...common, ...outcome })
          span.end()
        }
      },
    )
  }

  return {
    name: store.name,
    limits: store.limits,
    load: (ids, call) =>
      observed(
        'load',
        batch(ids),
        idsOf(ids),
        () => store.load(ids, call),
        (rows) => returned(rows.filter((row) => row !== undefined).length),
      ),
    scan: (entity, range, call) =>
      observed(
        'scan',
        {},
        () => ({ 'keepsake.entities': [entity] }),
        () => store.scan(entity, range, call),
        (rows) => returned(rows.length),
      ),
    entities: (range, call) =>
      observed(
        'entities',
        {},
        nothing,
        () => store.entities(range, call),
        (found) => returned(found.length),
      ),
    write: (rows, call) =>
      observed(
        'write',
        batch(rows),
        idsOf(rows),
        () => store.write(rows, call),
        (results) => ({ 'keepsake.stale': results.filter(({ status }) => status === 'stale').length }),
      ),
    remove: (ids, call) => observed('remove', batch(ids), idsOf(ids), () => store.remove(ids, call)),
    removeEntity: (entity, call) =>
      observed(
        'removeEntity',
        {},
        () => ({ 'keepsake.entities': [entity] }),
        () => store.removeEntity(entity, call),
      ),
    provision: (call) => observed('provision', {}, nothing, () => store.provision(call)),
    verify: (call) => observed('verify', {}, nothing, () => store.verify(call)),
    close: () => store.close(),
    async [Symbol.asyncDispose]() {
      await store.close()
    },
  }
}

function errorType(error: unknown): string {
  if (KeepsakeError.isInstance(error)) return error.code
  return error instanceof Error ? error.name : '_OTHER'
}

// What is no list is the store's to refuse.
function batch(list: readonly unknown[]): Attributes {
  return list?.length > 1 ? { 'db.operation.batch.size': list.length } : {}
}

function returned(rows: number): Attributes {
  return { 'db.response.returned_rows': rows }
}

function idsOf(ids: readonly { entity: string; key: string }[]): () => Attributes {
  return () => ({ 'keepsake.entities': ids.map(({ entity }) => entity), 'keepsake.keys': ids.map(({ key }) => key) })
}

function nothing(): Attributes {
  return {}
}

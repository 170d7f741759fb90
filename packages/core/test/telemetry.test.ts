import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { describe, expect, it } from 'vitest'
import { testRowStore } from '../../store-testing/src/index.ts'
import { chatMemory, inMemoryStore, records, type RowStore } from '../src/index.ts'
import { withTelemetry } from '../src/telemetry/index.ts'

testRowStore('memory with telemetry', async () => withTelemetry(inMemoryStore()))

function telemetry() {
  const spans = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  let nowMs = 0
  return {
    spans,
    options: { tracerProvider, meterProvider, monotonicMs: () => (nowMs += 250) },
    histogram: async () => {
      await reader.forceFlush()
      const [scope] = exporter.getMetrics().at(-1)!.scopeMetrics
      return scope!.metrics[0]!
    },
  }
}

const row = (key: string, seq: number) => ({ entity: 'ada', key, seq, rec: new Uint8Array([1]), updatedAtMs: 1 })

describe('withTelemetry', () => {
  it('makes a span of every call, with what the conventions ask for', async () => {
    const { spans, options } = telemetry()
    const store = withTelemetry(inMemoryStore(), options)
    await store.write([row('a', 1), row('b', 2)])
    await store.write([row('a', 0)])
    await store.load([row('a', 1), row('none', 1)])
    await store.scan('ada', { limit: 5 })
    expect(spans.getFinishedSpans().map(({ name, kind, attributes }) => [name, kind, attributes])).toEqual([
      [
        'write',
        SpanKind.CLIENT,
        {
          'db.system.name': 'memory',
          'db.operation.name': 'write',
          'db.operation.batch.size': 2,
          'keepsake.stale': 0,
        },
      ],
      ['write', SpanKind.CLIENT, { 'db.system.name': 'memory', 'db.operation.name': 'write', 'keepsake.stale': 1 }],
      [
        'load',
        SpanKind.CLIENT,
        {
          'db.system.name': 'memory',
          'db.operation.name': 'load',
          'db.operation.batch.size': 2,
          'db.response.returned_rows': 1,
        },
      ],
      [
        'scan',
        SpanKind.CLIENT,
        { 'db.system.name': 'memory', 'db.operation.name': 'scan', 'db.response.returned_rows': 2 },
      ],
    ])
  })

  it('counts seconds, by operation and error', async () => {
    const { options, spans, histogram } = telemetry()
    const store = withTelemetry(inMemoryStore(), options)
    await store.write([row('a', 1)])
    await store.close()
    await expect(store.write([row('a', 2)])).rejects.toMatchObject({ code: 'unavailable' })
    const { descriptor, dataPoints } = await histogram()
    expect(descriptor).toMatchObject({ name: 'db.client.operation.duration', unit: 's' })
    expect(dataPoints.map(({ attributes, value }) => [attributes, (value as { sum: number }).sum])).toEqual([
      [{ 'db.system.name': 'memory', 'db.operation.name': 'write' }, 0.25],
      [{ 'db.system.name': 'memory', 'db.operation.name': 'write', 'error.type': 'unavailable' }, 0.25],
    ])
    expect(spans.getFinishedSpans()[1]).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'unavailable' },
      events: [],
    })
  })

  it('goes by the names that the conventions have for systems', async () => {
    const { spans, options } = telemetry()
    const store: RowStore = { ...inMemoryStore(), name: 'postgres' }
    await withTelemetry(store, options).verify()
    expect(spans.getFinishedSpans()[0]?.attributes['db.system.name']).toBe('postgresql')
  })

  it('holds no word of what is stored, nor of whom, unless it is told to name rows', async () => {
    for (const captureContent of [false, true]) {
      const { spans, options } = telemetry()
      const store = withTelemetry(inMemoryStore(), { ...options, captureContent })
      await chatMemory(store).append('thread-Rosebud', [{ role: 'user', content: 'Kane' }], { owner: 'ada' })
      await records(store, 'ada').put(['Rosebud'], 'Kane')
      await records(store, 'ada').get(['Rosebud'])
      const told = JSON.stringify(
        spans.getFinishedSpans().map(({ name, attributes, events }) => [name, attributes, events]),
      )
      expect(told).not.toContain('Kane')
      expect(told.includes('Rosebud')).toBe(captureContent)
      expect(told.includes('ada')).toBe(captureContent)
    }
  })
})

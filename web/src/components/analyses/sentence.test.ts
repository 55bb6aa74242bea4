import { describe, expect, it } from 'vitest'
import { translate, type Translate } from '../../i18n/store'
import type { LanguageCode } from '../../i18n/language'
import { readPack } from '../../testing/packs'
import { EMPTY, type Draft } from './question'
import { sentenceOf } from './sentence'

const COHORTS: Record<string, string> = { c1: '常客', c2: 'Paying users' }

function said(draft: Draft, language: LanguageCode): string {
  const tongue = { currentLang: language, langPackage: readPack(language) }
  const t: Translate = (key, params, fallback) => translate(tongue, key, params, fallback)
  return sentenceOf(draft, { t, language, cohorts: (id) => COHORTS[id] })
}

const one = (event: string) => ({ events: [event] })

const SENTENCES: [Draft, string, string][] = [
  [EMPTY.trend, '任意事件的次数', 'How often any event happened'],
  [
    {
      kind: 'trend',
      series: [{ events: ['order'], measure: { of: 'sum', property: 'amount' } }],
      breakdown: ['$browser', 'plan'],
      compare: 'previous_period',
    },
    'order 的 amount 总和，按浏览器和 plan 分组，对比上一周期',
    'Sum of amount over order, by browser and plan, compared with the previous period',
  ],
  [
    {
      kind: 'trend',
      series: [
        { events: ['order', 'pay'], measure: { of: 'people' } },
        { events: [], measure: { of: 'people' } },
      ],
      formula: 'A / B * 100',
    },
    'A / B * 100，其中 A 为 order 或 pay 的用户数，B 为任意事件的用户数',
    'A / B * 100, where A = people who did order or pay and B = people who did any event',
  ],
  [
    {
      kind: 'trend',
      series: [
        { events: ['order'], measure: { of: 'sum', property: 'amount' } },
        { events: ['refund'], measure: { of: 'sum', property: 'amount' } },
      ],
    },
    'order 的 amount 总和、refund 的 amount 总和',
    'Sum of amount over order and sum of amount over refund',
  ],
  [
    {
      kind: 'funnel',
      steps: [one('landing'), one('signup')],
      window_minutes: 7 * 1440,
      breakdown: ['$browser'],
    },
    '在 landing 后 7 天内完成 signup 的用户，按浏览器分组',
    'People who did signup within 7 days after landing, by browser',
  ],
  [
    {
      kind: 'funnel',
      steps: [one('landing'), one('浏览商品'), one('order')],
      window_minutes: 90,
      order: 'strict',
      exclude: one('refund'),
    },
    '90 分钟内依次完成 landing → 浏览商品 → order 的用户，中间没有其他步骤，排除期间做过 refund 的用户',
    'People who did landing, then 浏览商品, then order within 90 minutes, with no other step in between, excluding people who did refund',
  ],
  [
    {
      kind: 'retention',
      first: one('注册'),
      first_ever: true,
      returning: one('order'),
      unit: 'week',
      units: 1,
      mode: 'on_or_after',
    },
    '首次完成注册的用户在之后 1 周里再次完成 order 的留存，当期或之后回访都算',
    'How many people who did 注册 for the first time came back to do order over the next 1 week, counting people who came back then or later',
  ],
  [
    { kind: 'paths', from: one('landing'), steps: 5, events: one('page_view') },
    '用户在 landing 之后的路径，最多 5 步，同一会话内，只看 page_view',
    'What people do after landing, up to step 5, within a session, counting only page_view',
  ],
  [
    { kind: 'paths', to: one('order'), steps: 3, window_minutes: 60 },
    '用户在 order 之前的路径，最多 3 步，1 小时内',
    'What people do before order, up to step 3, within 1 hour',
  ],
  [
    { kind: 'distribution', event: one('order'), of: 'days' },
    '用户完成 order 的天数分布',
    'On how many days people did order',
  ],
  [
    { kind: 'distribution', event: one('order'), of: { property: 'amount' } },
    'order 的 amount 分布',
    'Distribution of amount in order',
  ],
  [
    { kind: 'lifecycle', event: one('order') },
    'order 的新增、活跃、回流和沉默用户',
    'New, returning, resurrected, and dormant people by order',
  ],
]

describe('a question as a sentence', () => {
  it.each(SENTENCES)('%j', (draft, chinese, english) => {
    expect(said(draft, 'zh-CN')).toBe(chinese)
    expect(said(draft, 'en-US')).toBe(english)
  })

  it.each<[string[], string, string]>([
    [['$cohort:c1'], '按分群“常客”分组', 'by cohort 常客'],
    [
      ['$cohort:c2', '$os'],
      '按分群“Paying users”和操作系统分组',
      'by cohort Paying users and operating system',
    ],
    [
      ['$user:plan', '$device:model'],
      '按用户属性 plan 和设备属性 model 分组',
      'by user property plan and device property model',
    ],
    // Deleted, or private to someone else.
    [['$cohort:c9'], '按分群“未知分群”分组', 'by cohort Unknown cohort'],
    // Its name hasn't been typed yet.
    [['$user:', '$browser'], '按浏览器分组', 'by browser'],
  ])('says by what it is broken down: %j', (breakdown, chinese, english) => {
    const draft: Draft = { ...EMPTY.trend, breakdown }
    expect(said(draft, 'zh-CN')).toBe(`任意事件的次数，${chinese}`)
    expect(said(draft, 'en-US')).toBe(`How often any event happened, ${english}`)
  })

  it('says nothing of a breakdown that has no name yet', () => {
    expect(said({ ...EMPTY.trend, breakdown: ['$device:'] }, 'zh-CN')).toBe('任意事件的次数')
  })

  it('says what must hold, and nothing of what is not filled in', () => {
    const draft: Draft = {
      ...EMPTY.trend,
      series: [
        {
          events: ['order'],
          filters: { all: [{ property: 'amount', operator: 'gt', values: ['9'] }] },
          measure: { of: 'events' },
        },
      ],
      filters: {
        any: [
          { property: '$os', operator: 'is', values: ['Windows', 'macOS'] },
          { property: '$os', operator: 'is', values: [] },
          {
            all: [
              { property: '$user:plan', operator: 'set', values: [] },
              { property: '$cohort:c1', operator: 'is_not', values: [] },
            ],
          },
        ],
      },
    }
    expect(said(draft, 'zh-CN')).toBe(
      'order（amount 大于 9）的次数，筛选操作系统等于 Windows 或 macOS 或（用户属性 plan 有值且不属于分群常客）',
    )
    expect(said(draft, 'en-US')).toBe(
      'How often order (where amount > 9) happened, where operating system is Windows or macOS or (user property plan is set and not in cohort 常客)',
    )
  })
})

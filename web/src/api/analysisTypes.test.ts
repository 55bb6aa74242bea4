// Needs no page.
/** The console's types for questions and answers match the contract, checked by the compiler. */
import { expectTypeOf, it } from 'vitest'
import type { Answer, PathsQuestion, People, Pick, Question } from './analysisTypes'
import type { components } from './schema'

type Schemas = components['schemas']

/** As the server writes it: unknown values are null, never missing. */
type Written<Type> = Type extends (infer Item)[]
  ? Written<Item>[]
  : Type extends object
    ? { [Name in keyof Type]-?: Written<Exclude<Type[Name], undefined>> }
    : Type

it('asks what the contract takes', () => {
  expectTypeOf<Exclude<Question, PathsQuestion>>().toExtend<Schemas['Question']>()
  // The server has its own default.
  expectTypeOf<PathsQuestion & { branches: number }>().toExtend<Schemas['Question']>()
  expectTypeOf<Schemas['Question']['kind']>().toEqualTypeOf<Question['kind']>()
  expectTypeOf<Pick>().toExtend<Schemas['Pick']>()
})

it('knows every answer that the contract has', () => {
  expectTypeOf<Written<Schemas['Answer']>>().toExtend<Answer>()
  expectTypeOf<Schemas['PeoplePage']>().toExtend<People>()
})

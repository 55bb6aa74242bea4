// Needs no page.
/** What the console knows of questions and answers is what the contract says: checked by the compiler. */
import { expectTypeOf, it } from 'vitest'
import type { Answer, PathsQuestion, People, Pick, Question } from './analysisTypes'
import type { components } from './schema'

type Schemas = components['schemas']

/** As the server writes it: what it does not know is null, never missing. */
type Written<Type> = Type extends (infer Item)[]
  ? Written<Item>[]
  : Type extends object
    ? { [Name in keyof Type]-?: Written<Exclude<Type[Name], undefined>> }
    : Type

it('asks what the contract takes', () => {
  expectTypeOf<Exclude<Question, PathsQuestion>>().toExtend<Schemas['Question']>()
  // The server has a number of its own where none is said.
  expectTypeOf<PathsQuestion & { branches: number }>().toExtend<Schemas['Question']>()
  expectTypeOf<Schemas['Question']['kind']>().toEqualTypeOf<Question['kind']>()
  expectTypeOf<Pick>().toExtend<Schemas['Pick']>()
})

it('knows every answer that the contract has', () => {
  expectTypeOf<Written<Schemas['Answer']>>().toExtend<Answer>()
  expectTypeOf<Schemas['PeoplePage']>().toExtend<People>()
})

import { readdirSync } from 'node:fs'
import { createNodeResolver, importX } from 'eslint-plugin-import-x'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

/** Pages import shared code but never each other. Code that two pages need is moved out of both. */
const slices = readdirSync(new URL('src/pages', import.meta.url)).map((slice) => ({
  target: `src/pages/${slice}`,
  from: 'src/pages',
  except: [`./${slice}`],
  message: 'Pages must not import from other pages.',
}))

/** Layers from bottom to top. A folder may import only from those before it. */
const LAYERS = [
  ['lib', 'i18n', 'theme', 'api'],
  ['reports', 'analytics'],
  ['session'],
  ['components'],
  ['layouts'],
  ['pages'],
]
const layers = LAYERS.flatMap((folders, height) =>
  folders
    .filter(() => height < LAYERS.length - 1)
    .map((folder) => ({
      target: `src/${folder}`,
      from: LAYERS.slice(height + 1)
        .flat()
        .map((above) => `src/${above}`),
      message: 'Import only from lower layers: lib, session, components, layouts, pages.',
    })),
)

export default tseslint.config(
  { ignores: ['dist', 'src/api/schema.d.ts', 'test-results', 'playwright-report'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
  },
  { files: ['src/**/*.{ts,tsx}'], ...reactHooks.configs.flat.recommended },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/**/*.test.{ts,tsx}', 'src/testing/**'],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.tsx', '.js'] })],
    },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones: [...slices, ...layers] }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/api/**', 'src/**/*.test.{ts,tsx}', 'src/testing/**'],
    rules: {
      // src/api handles the timeout, language header, error texts, and 401; a direct fetch would not.
      'no-restricted-globals': ['error', { name: 'fetch', message: 'Call through src/api.' }],
      'no-restricted-imports': [
        'error',
        {
          name: 'react-router',
          importNames: ['useSearchParams'],
          message: 'useAddressQuery reads within the limits of lib/query.',
        },
      ],
    },
  },
  {
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      // A function may be async so that its errors become rejections, and no object here uses `this`.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
      // The router's redirects are thrown responses.
      '@typescript-eslint/only-throw-error': [
        'error',
        { allow: [{ from: 'lib', name: 'Response' }], allowThrowingUnknown: true },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    // A test's expectations check what it parses from JSON.
    files: ['src/**/*.test.{ts,tsx}', 'src/testing/**', 'e2e/**'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  // Plain scripts are not part of a TypeScript project.
  { files: ['**/*.{js,mjs,cjs}'], ...tseslint.configs.disableTypeChecked },
)

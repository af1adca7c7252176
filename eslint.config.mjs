import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const WAITING =
  'Wait for a condition with until() of test/support/until.ts, or say why time passes with pause().';

export default tseslint.config(
  {
    ignores: [
      'dist',
      'reader/dist',
      'data',
      'coverage',
      'reports',
      '.stryker-tmp',
      'demo/documents',
      'clients/**/dist',
      'clients/typescript/src/schema.ts',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      // Names the missing cases. A `default` counts as a decision about all other cases.
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Response classes describe shapes for the OpenAPI document; they have no behaviour that a literal would lack.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      'no-console': 'error',
      '@typescript-eslint/no-deprecated': [
        'error',
        // openid-client marks it so that it stands out: a provider on this machine has no TLS.
        { allow: [{ from: 'package', package: 'openid-client', name: 'allowInsecureRequests' }] },
      ],
    },
  },
  {
    files: ['web/**'],
    rules: {
      // Of arrow functions with one call, as events have them.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ['cli/**', 'src/run-service.ts', 'bench/**', 'test/support/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', 'knip.config.js'],
    languageOptions: {
      globals: {
        __dirname: 'readonly',
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        setTimeout: 'readonly',
        Buffer: 'readonly',
        AbortController: 'readonly',
        Blob: 'readonly',
        FormData: 'readonly',
        TextDecoderStream: 'readonly',
      },
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off', '@typescript-eslint/unbound-method': 'off' },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    ignores: ['test/support/until.ts', 'test/support/fake-provider/**', 'test/support/tcp-proxy.ts'],
    rules: {
      'no-restricted-imports': ['error', { name: 'node:timers/promises', message: WAITING }],
      'no-restricted-syntax': [
        'error',
        ...[
          "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout']",
          "CallExpression[callee.property.name='waitForTimeout']",
          'WhileStatement[test.type="UnaryExpression"] > EmptyStatement',
          'WhileStatement > ExpressionStatement > AwaitExpression',
        ].map((selector) => ({ selector, message: WAITING })),
        {
          selector: "CallExpression[callee.object.name='jest'][callee.property.name='setTimeout']",
          message: 'The time limits of tests are in jest.config.mjs.',
        },
      ],
    },
  },
);

import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(globalIgnores(["out/"]), tseslint.configs.strictTypeChecked, {
  languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["eslint.config.mjs"] } } },
  rules: {
    // `node:test` returns a promise that its runner awaits.
    "@typescript-eslint/no-floating-promises": [
      "error",
      { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: ["test", "it", "describe"] }] },
    ],
    "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
  },
});

export default { test: { include: ["*.eval.mjs"] } };

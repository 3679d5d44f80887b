// The question and the tools of the shop, for each framework.
export { z } from "zod";

export const path = process.argv[2];
export const question = "Where is order 7?";

export const getOrder = async () => ({ status: "shipped" });

export const getQuote = async ({ city }) => {
  throw new Error(`no carrier to ${city}`);
};

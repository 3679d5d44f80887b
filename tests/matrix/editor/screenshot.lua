-- The settings for a screenshot: the server, lenses, and the verdict of the last run on its line.

vim.cmd("syntax on")
vim.o.termguicolors = true
vim.o.number = true
vim.o.showmode = false
vim.o.laststatus = 0
vim.o.ruler = false
vim.o.signcolumn = "yes"
vim.o.background = "light"
for group, settings in pairs({
  SignColumn = { bg = "#ffffff" },
  DiagnosticVirtualTextError = { fg = "#c00000", bg = "#fff0f0" },
  DiagnosticUnderlineError = { sp = "#c00000", fg = "#c00000", underline = true },
  LspCodeLens = { fg = "#808080", italic = true },
  LspCodeLensSeparator = { fg = "#808080" },
}) do
  vim.api.nvim_set_hl(0, group, settings)
end
-- The first line of the message: the help is shown in a window on demand.
vim.diagnostic.config({
  virtual_text = {
    format = function(diagnostic)
      return vim.split(diagnostic.message, "\n")[1]
    end,
  },
})
vim.api.nvim_create_autocmd("FileType", {
  pattern = "yaml",
  callback = function()
    local command = { vim.env.SERVER_PROGRAM, "lsp" }
    vim.lsp.buf_attach_client(0, vim.lsp.start_client({ cmd = command, root_dir = vim.fn.getcwd() }))
  end,
})
vim.cmd("edit " .. vim.env.CASE_FILE)
vim.defer_fn(vim.lsp.codelens.refresh, 1500)

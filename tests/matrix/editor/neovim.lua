-- A session in Neovim without a screen: diagnostics, completion, a lens, and the verdict on its line.
-- The functions are those of Neovim 0.7; later ones have them, too.

local file, program = vim.env.CASE_FILE, vim.env.SERVER_PROGRAM
local claims = 0

local function fail(message)
  io.stderr:write(message .. "\n")
  vim.cmd("cquit 1")
end

--- Waits until `find` returns something, and returns it.
local function wait_for(name, find)
  local found
  vim.wait(60000, function()
    found = find()
    return found
  end, 20)
  if not found then
    fail("not within a minute: " .. name)
  end
  return found
end

local function holds(is_true, claim)
  if not is_true then
    fail("not true: " .. claim)
  end
  claims = claims + 1
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000) or {}
  local _, answer = next(answers)
  holds(answer and not answer.err, method .. " has an answer")
  return answer.result
end

local function set_text(text)
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(text, "\n"))
end

local function wait_for_diagnostics(name, count)
  return wait_for(name, function()
    local found = vim.diagnostic.get(0)
    return #found == count and found
  end)
end

-- What a user's settings contain.
vim.api.nvim_create_autocmd("FileType", {
  pattern = "yaml",
  callback = function()
    local id = vim.lsp.start_client({ name = "arraign", cmd = { program, "lsp" }, root_dir = vim.fn.getcwd() })
    vim.lsp.buf_attach_client(0, id)
  end,
})
vim.cmd("filetype on")
vim.cmd("edit " .. file)
wait_for("the server", function()
  local _, client = next(vim.lsp.buf_get_clients(0))
  return client and client.initialized
end)
local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")

-- A mistake is marked as it is typed, and its quick fix mends it.
set_text((text:gsub("required_tools", "requird_tools")))
local mistake = wait_for_diagnostics("a mistake", 1)[1]
holds(mistake.lnum == 4 and mistake.message:find("did you mean `required_tools`", 1, true), "the mistake is on its line")
set_text(text)
wait_for_diagnostics("the mended text", 0)

-- The name of a tool is completed from the trace.
local line = vim.fn.search("required_tools")
vim.api.nvim_buf_set_lines(0, line - 1, line, false, { "      - required_tools: [get" })
vim.api.nvim_win_set_cursor(0, { line, 26 })
vim.bo.omnifunc = "v:lua.vim.lsp.omnifunc"
local offered = ask("textDocument/completion", vim.lsp.util.make_position_params(0, "utf-16"))
holds(offered[1].label == "get_order", "a tool of the trace is offered")
-- The editor takes the offer as if somebody had typed it.
vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("A<C-x><C-o>", true, false, true), "n", false)
vim.defer_fn(function()
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("<C-y>]<Esc>", true, false, true), "n", false)
end, 2000)
vim.defer_fn(function()
  local completed = vim.api.nvim_buf_get_lines(0, line - 1, line, false)[1]
  holds(completed == "      - required_tools: [get_order]", "the editor completes the name: " .. completed)
  set_text(text)

  -- The lens runs the case, and its verdict is on the line of YAML.
  vim.lsp.codelens.refresh()
  local lenses = wait_for("lenses", function()
    local found = vim.lsp.codelens.get(0)
    return #found == 4 and found
  end)
  holds(lenses[3].command.title == "Run", "each case has a lens")
  vim.api.nvim_win_set_cursor(0, { lenses[3].range.start.line + 1, 0 })
  vim.ui.select = function(items, _, choose)
    choose(items[1], 1)
  end
  vim.lsp.codelens.run()
  local verdict = wait_for_diagnostics("the verdict", 1)[1]
  local marked = vim.api.nvim_buf_get_lines(0, verdict.lnum, verdict.lnum + 1, false)[1]
  holds(marked:find("forbidden_tools: [refund]", 1, true), "the verdict is on its line")
  holds(verdict.code == "forbidden_tools" or verdict.user_data.lsp.code == "forbidden_tools", "it names the check")

  -- Other programs run cases, too.
  vim.fn.system({ program, "run", "evals", "--", "--exact", "shop::looks_up_the_order" })
  wait_for_diagnostics("the run of another program", 0)

  local version = vim.version()
  print(("%d claims about Neovim %d.%d.%d hold"):format(claims, version.major, version.minor, version.patch))
  vim.cmd("qall!")
end, 4000)

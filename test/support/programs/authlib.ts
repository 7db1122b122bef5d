import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './tools.ts';

/** Interpreter of Debian, which has its packages. */
const PYTHON = '/usr/bin/python3';

/** A program that logs in by Authlib, in a folder of its own. */
export interface AuthlibProgram {
  readonly python: string;
  readonly path: string;
  remove(): Promise<void>;
}

const before = `import os
from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session, url_for

app = Flask(__name__)
app.secret_key = os.environ["TAMGA_CLIENT_ID"]
oauth = OAuth(app)
`;

const after = `
@app.route("/")
def home():
    if "name" in session:
        return session["name"]
    return oauth.tamga.authorize_redirect(url_for("callback", _external=True))

@app.route("/callback")
def callback():
    token = oauth.tamga.authorize_access_token()
    session["name"] = token["userinfo"]["name"]
    session["refresh"] = token["refresh_token"]
    return redirect("/")

@app.route("/refresh")
def refresh():
    kept = session["refresh"]
    token = oauth.tamga.fetch_access_token(grant_type="refresh_token", refresh_token=kept)
    session["refresh"] = token["refresh_token"]
    return "renewed"

@app.route("/up")
def up():
    return "up"

app.run(port=int(os.environ["PORT"]))
`;

/** Puts lines that register a provider into an application of Flask. @returns why it cannot be */
export async function authlibProgram(lines: string): Promise<AuthlibProgram | string> {
  const found = await run(PYTHON, '-c', 'import authlib, flask, requests');
  if (found.code !== 0) return 'python3-authlib, python3-flask or python3-requests is missing';
  const directory = await mkdtemp(join(tmpdir(), 'tamga-authlib-'));
  const path = join(directory, 'app.py');
  await writeFile(path, before + lines + after);
  return {
    python: PYTHON,
    path,
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

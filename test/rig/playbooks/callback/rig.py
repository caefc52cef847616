# SPDX-License-Identifier: GPL-3.0-or-later
"""The callback writes the results of Ansible for the rig: what failed and why, and at the end a line of JSON with a
count of each host's tasks."""
import json

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: rig
type: stdout
short_description: failures and counts as JSON
description: for the rig, which calls ansible-playbook
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "rig"

    def __init__(self):
        super().__init__()
        self.said = []

    def note(self, result):
        r = result._result
        why = " ".join(str(r.get(k, "")) for k in ("msg", "stderr", "stdout")).strip()
        self.said.append("%s: %s: %s" % (result._host.get_name(), result._task.get_name(), why[-500:]))

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self.note(result)

    def v2_runner_on_unreachable(self, result):
        self.note(result)

    def v2_playbook_on_stats(self, stats):
        hosts = {h: stats.summarize(h) for h in stats.processed}
        self._display.display(json.dumps({"hosts": hosts, "said": self.said}))

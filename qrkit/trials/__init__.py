"""Asks real phones: a page shows a code as a ladder of harder and harder steps, and phones on the same network scan it.

Each step is a short URL of its own, so that the server of the trial sees at once which phone has read it. A plain code
climbs the same ladder as a control. Nothing leaves the network.

    from qrkit.trials import trial

    with trial(design) as phones:
        print(phones.address)  # open it on a large screen
        phones.wait()
        print(phones.results())
"""

from __future__ import annotations

from qrkit.trials.trial import Trial, trial
from qrkit.trials.trial_result import PhoneResult, TrialResult, beside

__all__ = ["PhoneResult", "Trial", "TrialResult", "beside", "trial"]

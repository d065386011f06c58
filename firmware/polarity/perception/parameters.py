"""Every constant that tunes perception: one table, in the order in which a frame is worked on.

The end of a name is its unit (`UNITS` of polarity_bench/parameters.py):

    _UT µT · _16UT 16 µT · _MS ms · _US µs · _FRAMES frames · _MM_Q8 1/256 mm · _MM mm
    _SINE_Q12 sine of an angle, 1/4096 · _TURN_Q12 change of an axis, 1/4096 · _MOMENT_Q10 nominal
    moments, 1/1024 · _COST (64 µT)^2 a sensor, mean · _EXCESS (8 µT)^2, sum of the sensors near
    _STEPS of Gauss-Newton · _BITS of a shift · _TIMES a ratio · _4THS, … a ratio in such parts
    _INFORMATION a squared step of the solver · _PERCENT · _BODIES, _DISCS, _SENSORS, _RADII,
    _ROUNDS counts

Above each stands what it is, and what it trades: what a smaller and what a larger value does.
`polarity bench sweep --parameter NAME --values …` measures that. The limits that kernels in C hold
too are in kernels/_limits.py.

Constants only: they are copied to where they are used, and take no memory on the chip.
"""

from ..units import INT16, MM

# ---- the sensor model: field.py
# Frames of the bare mat that make the offsets; a power of two.
# Smaller: noisier offsets. Larger: the mat must be bare for longer.
BASELINE_FRAMES = 32
# A sensor whose counts range over more does not see a bare mat.
# Smaller: noisy sensors hold the start up. Larger: a hand that moves goes into the offsets.
RESTLESS_UT = 1000
# … unless that is noise, whose range is so many times a mean step at most.
# Smaller: noisy sensors hold the start up. Larger: slow hands are taken for noise.
RESTLESS_TIMES = 8
# One in so many sensors that are restless makes it no bare mat.
# Smaller: some loose contacts are lived with. Larger: a few of them stop the game.
RESTLESS_ONE_IN_SENSORS = 8
# More than that between two frames is no mat at all.
# Smaller: strong noise stops the game. Larger: it goes into the offsets.
ROUGH_UT = 8000
# Rounds of frames that are not of a bare mat before the players are told.
# Smaller: a hand that is just leaving is complained of. Larger: they wait for the reason.
REFUSED_ROUNDS = 2
# The rms of white noise in its mean steps: half the root of pi.
# Smaller: sensors seem quieter. Larger: noisier.
STEP_8THS = 7
# A sensor that is noisier learns nothing from a single frame.
# Smaller: gain errors of noisy sensors stay. Larger: noise is learnt as bias.
LEARNT_NOISE_16UT = 12
# Frames that a mean must be of to be used, and is of at most.
# Smaller: more noise in what lies. Larger: it settles late, or drift goes into it.
MEAN_LEAST_FRAMES = 4
MEAN_MOST_FRAMES = 14
# A residual below is noise: about 6 sigma of a sensor and its ADC.
# Smaller: noise initiates tracks. Larger: hands and slips are detected late.
QUIET_UT = 350
# A mean of nine residuals above is a disc high up.
# Smaller: drift looks like a hand. Larger: high hands are detected late.
BULGE_UT = 160
# A sensor that sees more of a body has its bias from that body.
# Smaller: drift leaves with a body. Larger: gain errors stay where no body is.
SEEN_UT = 700
# Half of what a disc shows at least to one sensor; bare ones are within 6 mT.
# Smaller: bad offsets are taken for a disc. Larger: a disc on the mat at the start is not seen.
LIES_UT = 12_000
# Rounds until what lies there at the start is taken for a fault of the sensors: a minute, or ten
# where the bare mat was known. Smaller: a forgotten disc becomes bias. Larger: a broken mat waits.
LAIN_ROUNDS = 190
LAIN_KNOWN_ROUNDS = 1900
# How far a body that lies is followed, by its discs: 220 mm times their cube root, as far as the
# table of the field goes.
# Smaller: what is cut off is news. Larger: each look costs more sensors.
REACH_MM = (220, 280, 320, 350, 370, 380, 380, 380)
# … of one in flight, at most. Smaller: its far field is news. Larger: each step costs more.
FLIGHT_REACH_MM_Q8 = 170 * MM
# Room for its sensors in each track. Smaller: large stacks are cut off. Larger: memory.
REACH_SENSORS = 192
# Room for those that see a body well; 86 do of a tower of twelve.
# Smaller: its bias is not all taken back. Larger: memory.
SEEN_SENSORS = 96
# Room for the sensors near a body.
# Smaller: fits see less. Larger: memory, and each look costs more.
NEAR_SENSORS = 48
# What a sensor may err by in its gain, beyond which it is news.
# Smaller: moved discs become bias. Larger: gain errors are news.
GAIN_SLACK_BITS = 5

# ---- the loop: tracker.py
# Tracks for which there is memory from the start.
# Smaller: memory is taken in play. Larger: it is never free for anything else.
TRACKS_BODIES = 3
# Frames over which a course is followed blindly.
# Smaller: tracks are lost when frames are. Larger: they run away meanwhile.
MOST_PASSED_FRAMES = 12
# How often in one frame what is not explained may wake a body.
# Smaller: snaps take several frames. Larger: the longest frame is longer.
WAKE_ROUNDS = 3
# Where others come meanwhile, work of a frame's fits (_reference_fit.py), after which what is woken
# is fitted with the next frame.
# Smaller: fast bodies are lost. Larger: facts are told late, and frames are lost.
FITS_US = 6000
# Where others come meanwhile, in so many frames, and so near, what has only now come not to be
# understood is taken for what wakes nothing else: it may jump.
# Smaller: what only felt a snap is woken, and that is told late. Larger: two that move at once are
# understood late.
STARTLED_FRAMES = 2
STARTLED_MM_Q8 = 70 * MM
# A body that was not announced is dropped, one that lay is put back, when lost for so long.
# Smaller: tracks are deleted that would be found. Larger: false ones hold their memory.
GIVE_UP_FRAMES = 48
# What lies so high on a tower seems to move twice as much, and so on.
# Smaller: towers rest while they move. Larger: tall ones never rest.
ON_TOWER_MM_Q8 = 24 * MM
# So long a hand that rises out of sight over the mat is waited for.
# Smaller: a hand that comes down is another. Larger: it has left late.
FADED_MS = 700
# What a disc of unknown moment may leave over, as a part of what is seen of it.
# Smaller: newcomers are lost. Larger: wrong ones are followed.
UNWEIGHED_BITS = 4

# ---- gating and initiation: news.py
# A surprise so near to a resting body's centre wakes it: its gate.
# Smaller: what moves is taken for a newcomer. Larger: neighbours wake, and cost a fit each.
WAKE_MM_Q8 = 40 * MM
# So far from the circle's line inward hands come in.
# Smaller: hands are searched for as inside, late. Larger: pieces there are taken for hands.
RIM_MM_Q8 = 45 * MM
# Frames that a surprise lasts when a new disc is looked for.
# Smaller: more false tracks. Larger: hands are detected late.
INITIATE_FRAMES = (2, 5, 10)
# … and after those, again and again. Smaller: costly. Larger: late.
INITIATE_EVERY_FRAMES = 16
# … and inside the circle, where none comes from nowhere.
# Smaller: ghosts of misfits. Larger: what came in unseen is found late.
INITIATE_INSIDE_FRAMES = 24
# Round a surprise, where a new disc must explain what is seen.
# Smaller: more false tracks. Larger: neighbours' errors hide it, and it costs more.
INITIATE_MM_Q8 = 75 * MM
# Steps for what lies there to explain it instead, and for what was followed to be believed.
# Smaller: more false newcomers. Larger: dearer.
SLEEPER_STEPS = 6
LOOK_AGAIN_STEPS = 4
# A newcomer must leave so much of what a moved neighbour would.
# Smaller: late. Larger: a neighbour's move is a newcomer.
NEWCOMER_4THS = 3
# … and so many times less than was seen, at the rim and inside.
# Smaller: false tracks. Larger: newcomers are missed.
NEWCOMER_RIM_TIMES = 2
NEWCOMER_INSIDE_TIMES = 4
# A search for a disc in a hand must leave so much at most of what its track does.
# Smaller: lost hands stay lost. Larger: they jump about.
LOOK_AGAIN_4THS = 3
# A surprise that stays so long and is smaller is lived with.
# Smaller: newcomers become bias. Larger: small errors hide others.
USED_TO_FRAMES = 60
USED_TO_UT = 1500
# How slowly. Smaller: newcomers become bias. Larger: it takes long.
USED_TO_BITS = 3
# What is louder is no hand still far away.
# Smaller: near hands are missed. Larger: what lies there is taken for one.
LOUD_UT = 3000
# So long, so near and up to so many times as loud a place where a search was in vain comes last.
# Smaller: the same search again and again. Larger: what comes in there is found late.
VAIN_MS = 3000
VAIN_MM_Q8 = 60 * MM
VAIN_4THS = 5
# More than is seen anywhere: leaves such a place out.
# Smaller: it may be found again. Larger: no 16 bits hold it.
VAIN_UT = INT16
# So long, and so near, a disc that has gone out of sight may still be seen; and each more of a
# stack. Smaller: it comes in again at once. Larger: the next hand there is detected late.
GONE_MS = 400
GONE_MM_Q8 = 130 * MM
GONE_STACK_MS = 600
GONE_STACK_MM_Q8 = 45 * MM
GONE_MOST_MM_Q8 = 220 * MM
# A woken body that had not moved is left alone for so long.
# Smaller: it wakes again and again. Larger: it is followed late when it moves after all.
CLEARED_MS = 300
# A piece outside the circle so near to a surprise is what is picked up.
# Smaller: it comes in as new. Larger: a hand that comes in there takes it away.
OUT_NEAR_MM_Q8 = 80 * MM
# Discs in a hand so near to a surprise may be what it is about: where they may be astray, where
# they were not told of, and how far one that turns over can be off.
# Smaller: second tracks of one disc. Larger: what else comes in is taken for it.
ASTRAY_MM_Q8 = 110 * MM
UNTOLD_MM_Q8 = 150 * MM
TURNED_MM_Q8 = 60 * MM
# So long a hand is not understood before it is looked for elsewhere.
# Smaller: searches for nothing. Larger: it is lost for longer.
UNEASY_FRAMES = 16
# Next to what is in flight, and next to a tower, a surprise is rather that.
# Smaller: false tracks. Larger: hands near it are detected late.
BUSY_MM_Q8 = 70 * MM
BY_TOWER_MM_Q8 = 45 * MM
# So near and so low a hand may topple a leaner, which is then followed.
# Smaller: it falls unseen. Larger: each hand costs the fits of leaners.
GUARDED_MM_Q8 = 45 * MM
GUARDED_BELOW_MM_Q8 = 70 * MM

# ---- jolts: news.py, slip.py
# So long after a jolt what has slipped is found out; so long the mat shakes too much for anything
# else to be seen. Smaller: slips are told as moves. Larger: what is done meanwhile is missed.
JOLT_MS = 3000
SHAKES_MS = 300
# So long after it what is not understood may still be of it.
# Smaller: one jolt is told twice. Larger: the next is missed.
LASTING_MS = 12000
# Bodies in flight with which no more are woken only to be looked at, and how far these may be from
# where they lay. Smaller: it takes long. Larger: no track is left for what moves.
LOOKED_AT_BODIES = 4
LOOKED_MOST_MM_Q8 = 2 * MM
# A body that shakes is woken by it, and followed after so long.
# Smaller: a jolt is missed. Larger: what was woken for another reason counts.
JUST_WOKEN_FRAMES = 8
# What a body must leave over beyond QUIET_UT to seem shaken; what it must if nothing else moves,
# and so many times as many as lie calm. Smaller: false jolts. Larger: slight ones are missed.
JOLT_UT = 100
STIRRED_UT = 180
STIRRED_TIMES = 3
# Frames since all was understood, at most, for it to be sudden.
# Smaller: jolts are missed. Larger: drift is told as one.
SUDDEN_FRAMES = 12
# So near what lies there its slipping is felt, once most of that has been measured.
# Smaller: slips look like hands. Larger: hands that came in meanwhile are seen late.
SLIP_FELT_MM_Q8 = 42 * MM
# What it may leave over, and how far it may move, at most: more is a tower that comes to be.
# Smaller: hard jolts are missed. Larger: towers look like jolts.
JOLT_MOST_UT = 6000
JOLT_MOST_MM_Q8 = 2 * MM
# How far apart the shaken must be, and how many they are at least; more than these must lie there.
# Smaller: a clash is a jolt. Larger: jolts of few pieces are missed.
JOLT_WIDE_MM_Q8 = 150 * MM
JOLT_LEAST_BODIES = 2
# So near to a hand nothing is learnt of a jolt. Smaller: false jolts. Larger: jolts are missed.
HAND_FELT_MM_Q8 = 110 * MM
# While a hand has more discs, no jolt can be told from what it does.
# Smaller: jolts are missed. Larger: tall towers that are carried look like one.
JOLT_TALL_DISCS = 3
# Bodies that do not move, and as many for each that does, after which nobody else is asked.
# Smaller: jolts are missed. Larger: dearer.
CALM_BODIES = 6
CALM_TIMES = 3
# So many bodies have to have moved so far, by the median, for a jolt.
# Smaller: chains of snaps look like jolts. Larger: dearer, and of the way: slight jolts are missed.
SHAKEN_BODIES = 5
SHAKEN_MM_Q8 = 16
# So long after a jolt has begun what lies may slip.
# Smaller: slips are measured too early. Larger: what is done meanwhile is missed.
SLIPS_MS = 600
# Pieces that the common way is measured on, at least and at most, how many of them in one frame,
# and by how many steps of the solver.
# Smaller: less exact. Larger: it takes longer.
SLIP_LEAST_BODIES = 3
SLIP_ENOUGH_BODIES = 12
SLIP_LOOKED_BODIES = 3
SLIP_STEPS = 3
# Further from the way of most, one has gone its own.
# Smaller: fewer agree. Larger: its own way goes into that of all.
SLIP_ALIKE_MM_Q8 = 154  # 0.6 mm
# Pieces that are moved in one frame. Smaller: later. Larger: a longer frame.
SLIP_MOVED_BODIES = 4

# ---- hands: hands.py
# A carried body is announced at this age, and at the other where it is low.
# Smaller: false hands. Larger: they come in late.
COMES_IN_FRAMES = 5
COMES_IN_LOW_FRAMES = 30
# A hand first seen so far inside (UNSEEN) that moves by so much a frame crossed the line where its
# course has it, at most so long ago.
# Smaller: what hardly moves came in long ago. Larger: hands seen late come in where they are seen.
COMES_IN_MM_Q8 = 3 * MM >> 2
COMES_IN_MOST_MS = 1000
UNSEEN_MM_Q8 = 20 * MM
# So long before it was seen beyond the line a hand has crossed it at most, by its pace.
# Smaller: the time of a crossing is late. Larger: what stands still there crossed long ago.
CROSSED_MOST_MS = 50
# The lag of a track behind what crosses the line: about a frame.
# Smaller: what crosses is dated late. Larger: early.
TRACK_LAG_MS = 10
# A hand of which the sensors feel no more is not seen to cross the line, or to come in over the
# middle. Smaller: noise comes in. Larger: such facts come late.
FAINT_UT = 500
# Frames for which a body must be clear of the mat to be in a hand: alone, near another's disc, and
# near what it may jump onto. Smaller: jumps are told as lifted. Larger: lifted late.
CLEAR_FRAMES = 4
BY_HAND_FRAMES = 40
JUMPS_FRAMES = 24
# How far a hand out of sight goes outward in 0.1 s. Smaller: it is said to have gone late. Larger:
# early.
HAND_MM_Q8 = 35 * MM
# What was lost in a hand further inside than the rim is what is seen there first within this time.
# Smaller: it comes in as another hand's. Larger: what jumps up there is taken for it.
ASTRAY_MS = 3000
# A disc that crosses the line so low may have been let go of, and lie on it.
# Smaller: those have gone out. Larger: hands that go out low are told late.
LET_GO_MM_Q8 = 20 * MM
# So far beyond the line a hand has gone out for certain, and is told to have crossed it before.
# Smaller: hands over the line go out and come in. Larger: told late.
OUT_MM_Q8 = 9 * MM
# What has been up so far for so many frames, and is in no hand, may have snapped to a disc in one
# that is no further off: magnets do not hold it there.
# Smaller: what jumps past a hand is in it. Larger: it hovers on beside the hand.
UP_FRAMES = 12
UP_MM_Q8 = 20 * MM
UP_NEAR_MM_Q8 = 110 * MM
# So long what lay flat and is tilted more than 15 degrees is in no hand: magnets pull a disc up by
# one edge, hands lift it level. Smaller: jumps are told as lifted. Larger: what a hand tips is
# lifted late.
TUMBLES_FRAMES = 40
TUMBLES_SINE_Q12 = 1060
# A newcomer so near to a body that is not understood may be only what that leaves over.
# Smaller: stacks that are taken apart stay whole. Larger: hands that come in then are seen later.
NEWCOMER_WITHIN_MM_Q8 = 100 * MM
# So near is what it may jump onto, and so much it has come nearer if it does.
# Smaller: jumps are told as lifted. Larger: lifted late.
JUMPS_MM_Q8 = 60 * MM
NEARER_MM_Q8 = 6 * MM
# So near to a hand what rises may be that hand's disc, if that seems to lie this low.
# Smaller: mixed-up tracks stay so. Larger: names are swapped for nothing.
SWAPPED_NEAR_MM_Q8 = 110 * MM
SWAPPED_LOW_MM_Q8 = 3 * MM
# So far up no disc snaps any more to one that was lifted; for each further disc of its group by
# one's height more, and at least by so much where one of the two is a stack.
# Smaller: parted before it snaps back. Larger: parted late.
PARTED_MM_Q8 = 28 * MM
PARTED_STACK_MM_Q8 = 14 * MM
# What has hovered so long, so high, so near to where it was, is so weak and explains so little is
# no disc in a hand.
# Smaller: the next hand comes in unseen. Larger: one that waits is gone. Of the time: vice versa.
GHOST_MS = 2500
GHOST_HEIGHT_MM_Q8 = 40 * MM
GHOST_WITHIN_MM_Q8 = 10 * MM
GHOST_UT = 1800
GHOST_COST_HALVES = 3
# Round it what is left over is lived with. Smaller: it comes again. Larger: others become bias.
GHOST_FELT_MM_Q8 = 130 * MM
# What hovers for so long over what lies still may lie on it; within the latter that is tried once.
# Smaller: costly, and hands that wait land. Larger: towers are told late.
HOVER_MS = 300
HOVER_LOOK_MS = 40

# A newcomer that leaves over so much, has moved so little, or is no further inside and comes in no
# faster, in a frame, is told so much later.
# Smaller: what others leave over is told as a hand. Larger: turns begin late. Of NEWCOMER_UT: vice
# versa.
NEWCOMER_UT = 250
NEWCOMER_MOVED_MM_Q8 = 8 * MM
NEWCOMER_INSIDE_MM_Q8 = 5 * MM
NEWCOMER_MM_Q8 = MM
NEWCOMER_MS = 400

# ---- merging: stacking.py
# A stack this clear of the mat is in a hand.
# Smaller: what still lies is told as snapped. Larger: snaps are told late.
LIFTED_MM_Q8 = 3 * MM
# Of two bodies that have joined on the mat one was still in a hand if it had been tracked for so
# long; was down for less (in disc-frames, unless it moved sideways by less than STAYS_STEADY_MM_Q8
# in a frame: a tower hardly moves); moved sideways by less in a frame; was off its course for fewer
# rounds of fits, as it is when it falls; and if the other came so many times as far (where it has
# more discs, each way counts times the discs that went it), and so far at least. Of one with twice
# its discs half that way is enough, and twice those rounds are allowed. What was last seen flat and
# this near above the other need not have seen it come: it may move twice as fast, and have
# twice those rounds, but was down for a quarter of that time, as they join when they touch.
# The first and the last three the other way round:
# Smaller: snaps are told as contacts. Larger: what was let go of, and jumped, has snapped.
STAYS_FRAMES = 10
STAYS_DOWN_FRAMES = 20
STAYS_MM_Q8 = 1 * MM
STAYS_STEADY_MM_Q8 = MM >> 2
STAYS_ROUNDS = 4
STAYS_TIMES = 7
STAYS_WAY_MM_Q8 = 12 * MM
STAYS_OVER_MM_Q8 = 12 * MM
# What has joined a disc low in a hand is carried once it has been clear of the mat for so long.
# Smaller: what jumps on to another is told as snapped. Larger: snaps on the mat are told late.
CARRIED_FRAMES = 12
# What joins a stack within so long has joined it at once.
# Smaller: one capture is two. Larger: two in a row are one.
TOGETHER_MS = 50
# A stack that lay flat for so long before another joined it is told for itself.
# Smaller: one that tumbles into others is told twice. Larger: what lay for a moment is not told.
LAIN_FRAMES = 4
# So near to a disc in a hand is what it may have come to lie on.
# Smaller: it hovers for ever. Larger: more pairs are tried.
HOVERS_MM_Q8 = 50 * MM
# … or that a piece in flight as well has joined: a stack one disc higher than believed leaves over
# what looks like a disc that flies off.
# Smaller: it is told as lifted. Larger: more pairs are tried.
LANDED_MM_Q8 = 120 * MM
# So near is what a rising body may lie on. Smaller: it is told as lifted. Larger: lifted late.
OVER_MM_Q8 = 14 * MM
# Frames between two tries of a pair as one stack. Smaller: dearer. Larger: merged late.
STACKED_FRAMES = 3
# A gap that a snap would have closed. Smaller: stacks come late. Larger: two become one.
STACK_GAP_MM_Q8 = 6 * MM
# What snaps to a disc in a hand comes up to it: the stack is not so far below where that was.
# Smaller: snaps in hands that sink are told late. Larger: what falls below a hand has snapped to
# it.
DROPS_MM_Q8 = 13 * MM
# Round the pair, where both are judged.
# Smaller: less to tell them by. Larger: neighbours' errors count, and it costs more.
STACK_REGION_MM_Q8 = 64 * MM
# What one stack may leave over, at most; a tall one that lies, for each disc; how many discs those
# have; two that are well understood one by one; and how much worse than these the stack may be.
# Smaller: stacks are missed. Larger: two that are close become one.
STACK_MOST_COST = 12
TALL_DISC_COST = 4
TALL_DISCS = 3
APART_COST = 2
STACK_BONUS_COST = 3
# Where frames come meanwhile, one that leaves so many times that is not tried from elsewhere.
# Smaller: stacks come late. Larger: frames in which discs snap are longer.
STACK_VAIN_TIMES = 8
# Two that are followed apart, and lost, are one stack if that leaves over less by so many bits.
# Smaller: what is only lost is joined. Larger: joins are seen late, once all is still.
STACK_BETTER_BITS = 4
# What such a stack may leave over in each sensor, at most.
# Smaller: joins are seen late. Larger: what is only lost is joined.
STACK_LOST_COST = 40
# How many times what two leave over a tall stack on which the upper one has landed may leave over.
# Smaller: it hovers for ever. Larger: hands above towers land.
LANDED_TIMES = 5
# Steps of a stack in the air, and of one that has landed.
# Smaller: stacks are missed. Larger: dearer.
STACK_STEPS = 6
LANDED_STEPS = 4

# ---- hypotheses about a lost track: lost.py
# Ages in lost frames at which it is searched for, and time between two searches for each frame that
# passes. Smaller: dearer. Larger: found late.
SEARCH_FRAMES = (3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 24, 25, 26, 27)
SEARCH_REST_MS = 30
# Lost for so long it is searched for in all ways, though frames wait.
# Smaller: frames are lost meanwhile. Larger: found late.
THOROUGH_FRAMES = 8
# Bodies so near may have to do with it, and resting ones by a disc's radii.
# Smaller: snaps to them are missed. Larger: dearer.
LOST_NEAR_MM_Q8 = 90 * MM
LOST_RESTING_RADII = 5
# Round it, where hypotheses are judged.
# Smaller: they are judged by little. Larger: neighbours' errors count, and it costs more.
LOST_REGION_MM_Q8 = 70 * MM
# A hypothesis that leaves no more is as good as any; one that leaves more than the other, or more
# than so much of before, is not taken.
# Smaller: tracks stay lost. Larger: wrong hypotheses are believed.
PLAIN_COST = 4
VAGUE_COST = 25
WORTH_5THS = 4
# What a stack may leave over, and how many times less than before, if a body has snapped to a hand.
# Smaller: snaps are missed. Larger: false snaps. Of the times: vice versa.
SNAPPED_COST = 12
SNAPPED_TIMES = 8
# So near to the circle's line a body may be where no sensor is.
# Smaller: what rolls out is lost. Larger: hypotheses out there are believed.
AT_EDGE_MM_Q8 = 20 * MM
# Where a disc need not be laid twice. Smaller: dearer. Larger: less exact starts.
SAME_SPOT_MM_Q8 = 4 * MM
# No further is what jumped or was flicked. Smaller: it is lost. Larger: names are mixed up.
FLUNG_MM_Q8 = 150 * MM
# Prior: what each 16 mm cost that a body has gone, of the red disc and one in a hand more, that it
# has turned over, that a lying disc flies, and how many times that where a search says so.
# Smaller: names are mixed up. Larger: real jumps are not believed.
STRAIN_COST = 2
STRAIN_STRONG_COST = 16
TURNED_COST = 40
RISEN_COST = 4
RISEN_ANEW_TIMES = 4
# Frames of a stack that is not understood, but not lost, at which it is tried as taken apart: some
# of those in which kernels.survey has it asked, every fourth from the fifth on.
# Smaller: dearer. Larger: told late.
SPLIT_FRAMES = (5, 9, 13, 21, 29)
# How far above where they lay its upper discs are looked for, how far to the side they may be, and
# how far from the others they must be.
# Smaller: told late. Larger: false parts. Of the gap: vice versa.
SPLIT_HEIGHTS_MM_Q8 = (6 * MM, 12 * MM, 20 * MM, 36 * MM)
SPLIT_WITHIN_MM_Q8 = 25 * MM
SPLIT_GAP_MM_Q8 = 7 * MM
# Steps of each hypothesis: joined a hand; two joined it; leans; lies on another; where it is
# tracked; lies elsewhere; pulled to another; gone; taken apart; one stack with another lost one.
# Smaller: right ones are not found. Larger: each search costs more.
JOINED_STEPS = 6
JOINED_BOTH_STEPS = 8
LEANS_STEPS = 5
STACKED_STEPS = 3
TRACKED_STEPS = 6
ELSEWHERE_STEPS = 4
FOUND_STEPS = 5
PULLED_STEPS = 5
GONE_STEPS = 3
SPLIT_STEPS = 8
ONE_STACK_STEPS = 4

# ---- coarse search: search.py
# Room for the sensors of a region. Smaller: judged by less. Larger: memory, and dearer.
REGION_SENSORS = 96
# Where seeds are: heights of a carried disc's centre above the mat, outward from a sensor at the
# rim, along the axis of one on edge, and round a sensor.
# Smaller: the seeds are too close to one another. Larger: minima between them are missed.
SEED_HEIGHTS_MM_Q8 = (18 * MM, 36 * MM, 58 * MM)
SEED_OUTWARD_MM_Q8 = (18 * MM, 36 * MM)
SEED_ALONG_MM_Q8 = 12 * MM
SEED_SHIFT_MM_Q8 = 9 * MM
# So near to the circle's line a disc may be further out than any sensor.
# Smaller: hands come in late. Larger: more seeds, dearer.
SEED_RIM_MM_Q8 = 40 * MM
# What one disc must leave over for a tower to be tried; and a tower's share of that.
# Smaller: towers are missed. Larger: dearer, and discs are taken for towers.
UNEXPLAINED_COST = 20
TOWER_4THS = 3
# Bodies of one hypothesis. Smaller: what moves together is not understood. Larger: memory.
HYPOTHESIS_BODIES = 3
# Discs in a tower that is recognised. Smaller: taller ones are misjudged. Larger: dearer.
TOWER_DISCS = 8
# Steps of each tower that is tried. Smaller: miscounted. Larger: dearer.
TOWER_STEPS = 3
# Discs of a tower on its edge, which may have somewhat more or fewer, and the steps of each.
# Smaller: such towers are missed. Larger: dearer.
EDGE_DISCS = (2, 4, 7, 11, 15)
EDGE_STEPS = 5
# What is known of where a body is, per squared step of 0.5 mm (x and y, then z) and of 1/32 rad,
# against noise of 0.1 mT. Smaller: fits run away. Larger: they stay where they begin.
ANYWHERE_INFORMATION = (1, 1, 1)

# ---- settling: settle.py
# A resting body's lowest point is this close to what it rests on.
# Smaller: what lies in a crease stays in flight. Larger: low hands rest.
ON_MAT_MM_Q8 = 3 * MM
# A woken body that is found this close to its place, a leaner's rim, and the turn, has not moved.
# Smaller: noise is told as shifted. Larger: small shifts are missed.
UNMOVED_MM_Q8 = 310  # 1.2 mm
UNMOVED_LEANER_MM_Q8 = 4 * MM
UNMOVED_TURN_Q12 = 290  # 4 degrees
# What stands so nearly upright, 8 degrees, shows no face.
# Smaller: what stands on its edge is told as flipped. Larger: steep leaners go over late.
UPRIGHT_SINE_Q12 = 570
# More left over, and more for each disc of a tower: it does not lie as it seems to.
# Smaller: settled late. Larger: wrong poses are told.
SETTLED_UT = 2500
SETTLED_DISC_UT = 1500
# What keeps still on the mat, but tipped by 3.9 degrees, about as far as in the steepest crease, is
# in a hand for so long at most. The frames, and the sine the other way round:
# Smaller: what is held is told as placed. Larger: what only seems tipped is told late.
TIPPED_FRAMES = 200
TIPPED_SINE_Q12 = 275
# What has been still for so long is told, whatever it leaves over.
# Smaller: wrong poses are told. Larger: told late.
TOLD_FRAMES = 60
# What stays still beside the mat for longer is no hand about to come in.
# Smaller: hands that wait there become base. Larger: reserves keep a track.
WAITING_FRAMES = 120
# So far off sensors may feel a tower beside the mat. Smaller: it stays. Larger: dearer.
FELT_BESIDE_MM_Q8 = 160 * MM
# A leaner let go that has crept this far in 14 frames stands only if it is still after these.
# Smaller: more of those fall that were told. Larger: they are told late.
CREEPS_MM_Q8 = 60  # 0.23 mm, or 0.85 degrees
STANDS_FRAMES = 40
# How much more a leaner may leave over when it is laid flat.
# Smaller: flat discs lean. Larger: leaners at the rim lie.
FLAT_COST = 6
# As much less must a disc leave over to seem not quite flat; and in the mean of some frames.
# Smaller: noise tips discs. Larger: those in creases are up to 1.2 mm off.
CREASE_EXCESS = 2700
CREASE_CALM_EXCESS = 500
# How far a crease tips at most: 4 degrees. Smaller: steep ones are missed. Larger: leaners lie.
CREASE_MOST_SINE_Q12 = 290
# Where a search for how a disc is tipped begins: 1.6 degrees; and what must be left over for it.
# Smaller: dearer. Larger: some stay a millimetre off.
CREASE_SINE_Q12 = 115
OTHER_WAY_EXCESS = 240
# A hand this near may be what a woken piece felt.
# Smaller: its field moves what lies. Larger: real creep is not followed.
HAND_ABOUT_MM_Q8 = 150 * MM
# As much less must a crept disc leave over, in the mean of some frames, and so many times less
# under a hand. Smaller: noise moves the base. Larger: the base stays wrong.
CREPT_EXCESS = 2700
CREPT_CALM_EXCESS = 500
CREPT_HAND_TIMES = 8
# What is lived with near a piece that was woken for nothing.
# Smaller: it wakes again. Larger: what comes there becomes bias.
LIVED_WITH_UT = 1500
# A stack whose discs would be weaker or stronger than these on the average has another number of
# them: a disc's moment varies by 3 % (sigma), as ferrites are sold, the sensors' gains by less.
# Smaller: a disc too many goes for weak ones. Larger: stacks of weak ones are miscounted. Of the
# most: vice versa.
STACK_LEAST_MOMENT_Q10 = 952
STACK_MOST_MOMENT_Q10 = 1090
# What a stack may leave over and still be as it was counted, and how many times as badly it must be
# understood to be another. Smaller: counts change by noise. Larger: wrong counts stay.
AS_COUNTED_COST = 8
MISCOUNTED_TIMES = 2
# So near to a stack that has come to be is what else is in it.
# Smaller: it stays a track of its own. Larger: another becomes part of it.
TAKEN_IN_MM_Q8 = 60 * MM
# What neighbours may do to a moment that is known: 8 %; how little of that is believed.
# Smaller: moments stay wrong. Larger: neighbours mislead them.
WEIGHT_SLACK_MOMENT_Q10 = 82
WEIGHT_SLACK_BITS = 3
# Between these a moment is one disc's.
# Smaller: towers are one disc. Larger: strong ones. Of the most: vice versa.
WEIGHT_LEAST_MOMENT_Q10 = 900
WEIGHT_MOST_MOMENT_Q10 = 1150
# What a piece lies on is at least so high, so near to it, and its height known so well.
# Smaller: towers stand beside themselves. Larger: neighbours become towers.
UNDER_LEAST_MM_Q8 = 3 * MM
UNDER_NEAR_MM_Q8 = 12 * MM
UNDER_HEIGHT_MM_Q8 = 4 * MM
# Steps of fits of what lies: a leaner, with its moment, flat, crept, tipped, riding on a crease,
# with its moment. Smaller: less exact. Larger: a frame in which something settles is longer.
LEANER_STEPS = 5
LEANER_MASS_STEPS = 4
FLAT_STEPS = 4
CREPT_STEPS = 4
TIPPED_STEPS = 4
RIDES_STEPS = 6
WEIGHED_STEPS = 3

# ---- facts of what rests: resting.py, contacts.py
# A disc that has moved by more, by itself, was pulled; so long before it lies still it has touched.
# Smaller: slips count as jumps. Larger: the time of a contact is late.
JUMPED_MM_Q8 = 3 * MM
TOUCHED_MS = 10
# So long before a stack keeps still it lies, if it was one then: it rocks, or slides on to another.
# Smaller: what it then touches seems to come first. Larger: told before it lies.
STACKED_MS = 40
# rms error of the gap between two discs, and of a disc's distance from a line; of a leaner's twice.
# Smaller: too sure. Larger: the players are asked for nothing.
GAP_SPREAD_MM_Q8 = 38  # 0.15 mm
EDGE_SPREAD_MM_Q8 = 38  # 0.15 mm
# What no hand holds leaves the circle no higher.
# Smaller: what does is not told as out. Larger: what a hand has caught, or what has run away, is.
THROWN_MM_Q8 = 35 * MM
# What slides out of the circle by itself, flat, is no faster there, in a frame: friction brakes it.
# Smaller: what slides off the mat is not told as out. Larger: what has run away is.
SLIDES_MM_Q8 = 2 * MM
# Frames for which what no hand holds is outside the circle until that is told, at rest or not.
# Smaller: what a hand carries out is told as out. Larger: told late.
OUT_FRAMES = 12
# The first disc laid this close to the centre is the red one.
# Smaller: it must be laid exactly. Larger: a foundation is taken for it.
DOT_MM_Q8 = 30 * MM
# A disc first seen closer to where it lies was not seen to come in.
# Smaller: it comes in though nobody saw it. Larger: hands are missed.
SEEN_TO_COME_MM_Q8 = 6 * MM
# A leaner leans over pieces within so many tenths of a radius.
# Smaller: what it leans over is not named. Larger: bystanders are.
LEANS_OVER_10THS = 34
# Discs that attract each other side by side (opposite faces) do not stay a millimetre apart: this
# gap is contact; where one has just jumped there, the second; where equal faces repel, the third.
# Smaller: contacts are missed. Larger: close ones are told as contacts.
ATTRACT_GAP_MM_Q8 = 154  # 0.6 mm
JUMP_GAP_MM_Q8 = 640  # 2.5 mm
REPEL_GAP_MM_Q8 = 128  # 0.5 mm
# So near to that limit the players are asked. Smaller: wrong rulings. Larger: more questions.
CONTACT_DOUBT_MM_Q8 = 38  # 0.15 mm
# As much further off may be the middle of a tower that a crease tips.
# Smaller: its contacts are missed. Larger: dearer.
ASLANT_MM_Q8 = 512  # 2 mm
# A leaner floats on a cushion: only an overlap of 4 mm is taken for touching, as its place beside
# a tower is that uncertain.
# Smaller: contacts are missed. Larger: false ones.
LEANER_GAP_MM_Q8 = -4 * MM
# What a body leaves over that is then not quite understood, and how many of a hundred facts about
# such were right. Smaller: sure facts are doubted. Larger: too sure.
PUZZLING_UT = 400
PUZZLING_PERCENT = 93
# How many of a hundred facts were right that were told when up to 4, 8, ... or more frames had been
# lost lately (Scene.missed), on chips two to four times as slow (games as those of `polarity bench
# facts`, on seeds for tuning). Smaller: the referee asks more. Larger: too sure.
SEEN_PERCENT = (99, 99, 99, 96, 88, 80, 70, 60, 22)
# Frames after which half of those lost are forgotten.
# Smaller: what they have led astray is believed. Larger: what has been seen since is doubted.
MISSED_FORGOTTEN_FRAMES = 32
# More that are lost at once count as so many: the mat was away.
# Smaller: what they have led astray is believed. Larger: doubted for long after a pause.
MISSED_MOST_FRAMES = 200
# A fact that the field does not decide; below 50 the referee asks. A sure one: none is surer.
# Smaller: the referee asks more. Larger: it asks less.
DOUBTED_PERCENT = 40
MOST_PERCENT = 99

# ---- reacquisition: reacquire.py
# So long something is not understood before all is looked at afresh.
# Smaller: dearer, and it ends courses that would be found. Larger: lost for longer.
AFRESH_LOST_FRAMES = 10
# Frames between two looks at whether it is still, how long it is still by then, and what that is.
# Smaller: tried while it moves. Larger: late.
AFRESH_EVERY_FRAMES = 4
AFRESH_STILL_FRAMES = 12
AFRESH_STILL_UT = 200
# Less is lived with; and a sensor that shows no more is explained.
# Smaller: dear searches for nothing. Larger: small errors stay.
AFRESH_LOUD_UT = 1400
AFRESH_LEFT_UT = 900
# What a saturated sensor shows is a lower bound: 1 / 2**bits of it may be missing, as gains are
# uncertain. Smaller: stacks stay too small. Larger: a tall stack is never explained.
AFRESH_SATURATED_BITS = 3
# Pieces this near to the loudest sensor are looked at afresh, and lost ones.
# Smaller: the cause is not among them. Larger: dearer, and more names are in play.
AFRESH_MM_Q8 = 60 * MM
# So near to each other two of the same face are one stack.
# Smaller: two discs in one another. Larger: neighbours are a stack.
AFRESH_STACK_MM_Q8 = 12 * MM
# Round a sensor, where a new piece must explain most.
# Smaller: false pieces. Larger: neighbours not yet found disturb.
AFRESH_REGION_MM_Q8 = 46 * MM
# New pieces in one look, and sweeps over all found. Smaller: heaps stay. Larger: dearer.
AFRESH_BODIES = 10
AFRESH_SWEEP_ROUNDS = 3
# What a new piece, another count of a stack, and all of it may leave of before.
# Smaller: heaps stay. Larger: wrong pieces are believed.
AFRESH_WORTH_4THS = 3
AFRESH_COUNT_5THS = 4
AFRESH_BETTER_TIMES = 3
# Steps of each. Smaller: less exact. Larger: dearer.
AFRESH_STEPS = 4
# What is further up is in a hand. Smaller: what lies is held. Larger: low hands have let go.
AFRESH_RISEN_MM_Q8 = 5 * MM
# So many discs may be fewer than before at most. Smaller: heaps stay. Larger: pieces vanish.
AFRESH_FEWER_DISCS = 4
# Association: what it costs to believe that a piece has turned over; a piece found further off is
# another one. Smaller: new names. Larger: names are mixed up.
AFRESH_TURNED_MM_Q8 = 30 * MM
AFRESH_FAR_MM_Q8 = 170 * MM
# Looks until what is left is lived with, and the time to the next, twice as long each time.
# Smaller: the players are asked early. Larger: it searches on.
AFRESH_TRIES_ROUNDS = 3
AFRESH_REST_MS = 300
# Discs of a stack that is counted afresh. Smaller: tall ones are lost. Larger: dearer.
AFRESH_MOST_DISCS = 16
# A piece so near to a disc that hovers may have been measured amiss: if, measured anew, it leaves
# over so little within so far of that disc, for each sensor, and so many times less than is left
# over without the disc.
# Smaller: ghosts hover on. Larger: hands that wait over pieces are gone. Of the region, and of the
# last: vice versa.
LEFT_OVER_MM_Q8 = 45 * MM
LEFT_OVER_REGION_MM_Q8 = 90 * MM
LEFT_OVER_COST = 2
LEFT_OVER_TIMES = 3

"""Small random models in their real file formats."""

from __future__ import annotations

import json

import numpy as np

WORDS = ["heart", "attack", "failure", "disease", "crohn", "s", "'", ",", "non", "-", "familial", "(", ")"]
WORDS += ["acute", "of", "the", "lung", "kidney", "infarction"]
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def wordpiece_tokenizer(longest):
    """Return a lower-casing WordPiece tokenizer that puts [CLS] and [SEP] around a text."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    pieces = [*MARKS, *WORDS, *(f"##{letter}" for letter in "abcdefgh")]
    tokenizer = Tokenizer(models.WordPiece({piece: at for at, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=longest,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def save_bert(folder):
    """Write a BERT of two layers with a WordPiece tokenizer."""
    from transformers import BertConfig, BertModel

    import torch

    tokenizer = wordpiece_tokenizer(16)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        initializer_range=0.5,
    )
    BertModel(config).save_pretrained(folder)


def save_gpt2(folder):
    """Write a GPT-2 of two layers with a byte-level tokenizer, which has no padding and adds no token of its own."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2Model, PreTrainedTokenizerFast

    import torch

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={letter: at for at, letter in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64).save_pretrained(folder)
    torch.manual_seed(1)
    config = GPT2Config(vocab_size=256, n_positions=64, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    GPT2Model(config).save_pretrained(folder)


def save_sentences(folder, **settings):
    """Write a model with mean pooling and normalisation, as the library lays it out."""
    save_bert(folder)
    kinds = {"0": ("", "Transformer"), "1": ("1_Pooling", "Pooling"), "2": ("2_Normalize", "Normalize")}
    modules = [
        {"idx": int(at), "name": at, "path": path, "type": f"sentence_transformers.models.{kind}"}
        for at, (path, kind) in kinds.items()
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": 16, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 12, "do_lower_case": false}')
    prompts = {"prompts": {"query": "acute ", "passage": "the "}, "default_prompt_name": None, **settings}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))


def elmo_options(**lstm):
    return {
        "lstm": {
            "use_skip_connections": True,
            "projection_dim": 6,
            "cell_clip": 3,
            "proj_clip": 3,
            "dim": 8,
            "n_layers": 2,
            **lstm,
        },
        "char_cnn": {
            "activation": "relu",
            "filters": [[1, 4], [2, 5], [5, 7]],
            "n_highway": 2,
            "embedding": {"dim": 3},
            "n_characters": 262,
            "max_characters_per_token": 50,
        },
    }


def save_elmo(folder, values=None, *, scale=0.5, seed=0):
    """Write an ELMo with random weights, and return those."""
    import h5py

    from termgauge.embeddings.encoders.elmo import ElmoOptions

    values = values or elmo_options()
    folder.mkdir()
    (folder / "options.json").write_text(json.dumps(values))
    shapes = ElmoOptions.read(values, "here").shapes()
    rng = np.random.default_rng(seed)
    weights = {name: rng.normal(0, scale, shape).astype("f4") for name, shape in shapes.items()}
    with h5py.File(folder / "weights.hdf5", "w") as file:
        for name, array in weights.items():
            file[name] = array
    return weights


def save_flair(folder):
    """Write a forward and a backward character language model of flair."""
    import flair.data
    import flair.models

    import torch

    folder.mkdir(exist_ok=True)
    characters = flair.data.Dictionary()
    for letter in "abcdefghijklmnopqrstuvwxyzCI ',-()\n":
        characters.add_item(letter)
    torch.manual_seed(0)
    for forward in (True, False):
        model = flair.models.LanguageModel(characters, forward, hidden_size=12, nlayers=1, embedding_size=5)
        model.save(folder / f"tiny-{'forward' if forward else 'backward'}.pt")
